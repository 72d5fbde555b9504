import { expect, it } from 'vitest';
import { Books, StoredBooks } from '../../src/money/accounts/books.js';
import { Batch } from '../../src/money/batch.js';
import type { Intent } from '../../src/money/intent.js';
import type { Waiting } from '../../src/money/waiting.js';
import type { Signing } from '../../src/signing/signing.js';

it('intents that rest on two versions of a record have both compared: one of them is not current', async () => {
  const batch = new Batch(new Books(() => '$wbl.new', new StoredBooks()), {} as Signing, false);
  const needs = [5, 6, 6].map((change) => ({ kind: 'wallet' as const, handle: 'shop', luid: '$wlt.shop', change }));
  for (const need of needs) {
    const intent = { needs: () => [need], state: { stage: 'accepted' }, input: {} } as unknown as Intent;
    await batch.accept({ accepted: () => intent } as unknown as Waiting);
  }
  expect(batch.settlement(1, undefined as never).needs).toEqual(needs.slice(0, 2));
});
