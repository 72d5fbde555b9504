import { describe, expect, it } from 'vitest';
import { recordLimits } from '../../src/records/record-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';

const server = withServer();

describe('what lists filter one record by', () => {
  // Each path is `data.custom.<name>.<five digits>` with a number, and so counts the same.
  const count = 4_096;
  const perValue = recordLimits.filterable / count;
  const name = 'n'.repeat(perValue - 'data.custom..00000'.length - 8);
  const values = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [String(10_000 + index), 1]));

  it(`is at most ${recordLimits.filterable} characters, however few the body that says it has`, async () => {
    expect(name.length).toBeGreaterThan(900);
    const client = await newLedger(server.current.url);
    const most = await client.create('/wallets', { handle: 'most', custom: { [name]: values(count) } });
    expect(most.status).toBe(201);
    expect((await client.get(`/wallets?data.custom.${name}.14095=1`)).body.data).toHaveLength(1);
    const more = await client.create('/wallets', { handle: 'more', custom: { [name]: values(count + 1) } });
    const detail = `Record holds more than ${recordLimits.filterable} characters to filter it by`;
    expectRefusal(more, client, 'record.invalid', detail);
    expect((await client.get('/wallets/more')).status).toBe(404);
  });
});
