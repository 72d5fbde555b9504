import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listLimits } from '../../src/lists/list-limits.js';
import {
  dropOf,
  newKey,
  newLedger,
  proofOver,
  signed,
  type TestAnswer,
  type TestClient,
  updateOf,
} from '../support/client.js';
import { withServer } from '../support/server.js';
import { expectIntact } from './intact.js';

const HANDLES = ['a', 'b', 'c'];

/** Of a kind that may be renamed. */
function effect(handle: string, custom: JsonObject): JsonObject {
  return { handle, signal: 'wallet-created', action: { endpoint: 'https://example.com' }, custom };
}

/** What one client does, to the record it last saw under a handle. */
type Step =
  | { readonly does: 'create' | 'look' | 'update' | 'prove' | 'drop'; readonly handle: string }
  | { readonly does: 'rename'; readonly handle: string; readonly to: string };

const handle = fc.constantFrom(...HANDLES);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constantFrom('create', 'look', 'update', 'prove', 'drop'), handle }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('rename'), handle, to: handle }) },
) as fc.Arbitrary<Step>;

/** Several clients, each with its own sequence of steps, all at work at the same time. */
const clients = fc.array(fc.array(step, { minLength: 1, maxLength: 10 }), { minLength: 2, maxLength: 5 });

/** A change that was acknowledged: the record it left, or the one it dropped. */
interface Acknowledged {
  readonly luid: string;
  readonly action: 'create' | 'update' | 'drop';
  readonly hash: string;
  /** The signature that the client added. */
  readonly proof: string;
}

class Client {
  readonly #seen = new Map<string, RecordEnvelope>();
  readonly acknowledged: Acknowledged[] = [];
  readonly #key = newKey();
  #count = 0;

  constructor(readonly ledger: TestClient) {}

  async take(step: Step): Promise<void> {
    const { handle } = step;
    const path = `/effects/${handle}`;
    const seen = this.#seen.get(handle);
    this.#count += 1;
    const custom = { of: this.#key.public, count: this.#count };
    if (step.does === 'create') {
      const body = signed(effect(handle, custom), this.#key);
      this.#note('create', body.meta.proofs[0]!.result, await this.ledger.call('POST', '/effects', body));
    } else if (step.does === 'look' || !seen) {
      this.#see(await this.ledger.get(path));
    } else if (step.does === 'prove') {
      const proof = proofOver(seen.hash, this.#key, custom);
      this.#note('update', proof.result, await this.ledger.call('POST', `${path}/proofs`, proof));
    } else if (step.does === 'drop') {
      const body = dropOf(seen, this.#key);
      const answer = await this.ledger.call('DELETE', path, body);
      if (answer.status === 204) this.#seen.delete(handle);
      this.#note('drop', body.meta.proofs[0]!.result, answer, seen);
    } else {
      const to = step.does === 'rename' ? step.to : handle;
      const body = updateOf(seen, effect(to, custom), this.#key);
      this.#note('update', body.meta.proofs[0]!.result, await this.ledger.call('PUT', path, body));
    }
  }

  #note(action: Acknowledged['action'], proof: string, answer: TestAnswer, dropped?: RecordEnvelope): void {
    expect(answer.status, answer.text).toBeLessThan(500);
    if (answer.status >= 300) return;
    const { luid, hash }: RecordEnvelope = dropped ?? answer.body;
    this.acknowledged.push({ luid, action, hash, proof });
    this.#see(answer);
  }

  #see({ status, body }: TestAnswer): void {
    if (status === 200 || status === 201) this.#seen.set(body.data.handle, body);
  }
}

describe('whatever several clients do at the same time', () => {
  const server = withServer();

  it('every history is whole and holds every acknowledged write, and nothing else', async () => {
    const open = await newLedger(server.current.url);
    await fc.assert(
      fc.asyncProperty(clients, async (sequences) => {
        const ledger = await newLedger(server.current.url, { key: open.key });
        const all = sequences.map(() => new Client(ledger));
        await Promise.all(
          all.map(async (client, index) => {
            for (const step of sequences[index]!) await client.take(step);
          }),
        );
        await expectAcknowledged(
          ledger,
          all.flatMap(({ acknowledged }) => acknowledged),
        );
      }),
      { numRuns: 15, endOnFailure: true },
    );
  });
});

async function expectAcknowledged(ledger: TestClient, acknowledged: readonly Acknowledged[]): Promise<void> {
  const current = (await ledger.get(`/effects?page.limit=${listLimits.page.greatest}`)).body.data as RecordEnvelope[];
  const luids = new Set(acknowledged.map(({ luid }) => luid));
  for (const luid of luids) {
    const own = acknowledged.filter((one) => one.luid === luid);
    const history = await expectIntact(ledger, '/effects', luid);
    // As many changes as were acknowledged, and each of those among them, by the signature only it carries.
    expect(history).toHaveLength(own.length);
    for (const { action, hash, proof } of own) {
      const made = history.filter((change, index) => {
        const before = history[index - 1]?.meta.proofs.some(({ result }) => result === proof) ?? false;
        return !before && change.meta.proofs.some(({ result }) => result === proof);
      });
      expect(made.map((change) => [change.meta.action, change.hash])).toEqual([[action, hash]]);
    }
    const dropped = own.some(({ action }) => action === 'drop');
    expect(current.some((record) => record.luid === luid)).toBe(!dropped);
  }
  expect(current.every(({ luid }) => luids.has(luid))).toBe(true);
  const handles = current.map(({ data }) => data.handle);
  expect(new Set(handles).size).toBe(handles.length);
}
