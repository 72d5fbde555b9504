import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { createPool } from '../../src/store/pool.js';
import { newLedger, TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { tally } from './intact.js';

/** More than each may be decided anew. */
const MANY = stateLimits.attempts + 1;

const ROUNDS = process.env.LONG_TESTS ? 20 : 8;

describe('many writes at once that change the rules of one ledger', () => {
  // Whether all of them are stored is the question, not how fast a busy machine is.
  const servers = withTwoServers({ requestTimeout: 60_000 });

  async function policies(client: TestClient, count: number): Promise<RecordEnvelope[]> {
    const data = { schema: 'access', record: 'wallet', values: [] };
    return Promise.all(
      Array.from({ length: count }, (_, index) => stored(client, 'policy', { handle: `p-${index}`, ...data })),
    );
  }

  it('are all stored, one after the other', { timeout: 60_000 }, async () => {
    const client = await newLedger(servers.current[0].url);
    const made = await policies(client, MANY);
    const answers = await Promise.all(
      made.map((record) => client.prove(`/policies/${record.data.handle}`, record, { status: 'active' })),
    );
    expect(tally(answers)).toEqual({ 200: MANY });
  });

  it('are all stored when they come to two processes', { timeout: 60_000 }, async () => {
    const client = await newLedger(servers.current[0].url);
    const clients = [client, new TestClient(servers.current[1].url, client.key, client.ledger)];
    const made = await policies(client, 60);
    const answers = await Promise.all(
      made.map((record, index) =>
        clients[index % 2]!.prove(`/policies/${record.data.handle}`, record, { status: 'active' }),
      ),
    );
    expect(tally(answers)).toEqual({ 200: 60 });
  });

  it('do not stand in the way of each other, whatever each of them locks', async () => {
    const client = await newLedger(servers.current[0].url);
    let [record] = await policies(client, 1);
    const before = await deadlocks();
    for (let round = 0; round < ROUNDS; round += 1) {
      const path = `/policies/${record?.data.handle}`;
      const { parent: _, ...data } = record!.data;
      const answers = await Promise.all([
        client.update(path, record!, { ...data, handle: `p-${round + 1}` }),
        client.update(path, record!, { ...data, custom: { round } }),
        ...[0, 1, 2].map((one) => client.prove(path, record!, { note: `${round}-${one}` })),
      ]);
      const winner = answers.slice(0, 2).find(({ status }) => status === 200);
      const handle = winner?.body.data.handle ?? record?.data.handle;
      record = ok(await client.get(`/policies/${handle}`)).body;
    }
    expect(await deadlocks()).toBe(before);
  });

  async function deadlocks(): Promise<number> {
    const pool = createPool({ connectionString: servers.databaseUrl }, () => {});
    const { rows } = await pool.query('select deadlocks from pg_stat_database where datname = current_database()');
    await pool.end();
    return Number(rows[0]?.deadlocks);
  }
});
