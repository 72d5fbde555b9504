import { beforeAll, describe, expect, it } from 'vitest';
import { erasingLedger, erasureOf } from '../erasure/support.js';
import { Description } from '../http/description.js';
import { expectRefusal, systemKey } from '../http/refusal.js';
import { newLedger, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

/** Bytes: a new ledger takes a third of them. */
const QUOTA = 300_000;

const server = withOwnServer({ ledgerQuota: QUOTA });
let described: Description;
beforeAll(async () => {
  described = await Description.of(server.current.url);
});

const large = (handle: string) => ({ handle, custom: { text: 'x'.repeat(20_000) } });

/** Creates records until one is refused, and gives that answer. */
async function fill(client: TestClient) {
  for (let made = 0; made < 20; made += 1) {
    const answer = await client.create('/wallets', large(`w-${made}`));
    if (answer.status !== 201) return answer;
  }
  throw new Error('The ledger is never full.');
}

/** Bytes that a ledger stores, as its quota counts them, and those of the texts of all its versions. */
async function stored({ ledger }: TestClient): Promise<{ counted: number; texts: number }> {
  const [row] = await runSql<{ counted: number; texts: number }>(
    server.current.database.url,
    `select (coalesce((select bytes from storage s where s.ledger_id = l.id), 0)
         + coalesce((select sum(bytes) from unsealed u where u.ledger_id = l.id), 0))::int as counted,
       (select sum(octet_length(body)) from change c where c.ledger_id = l.id)::int as texts
     from ledger l where l.handle = $1`,
    [ledger],
  );
  return row!;
}

/** The operator allows a ledger so many bytes. */
const allow = ({ ledger }: TestClient, bytes: number) =>
  runSql(
    server.current.database.url,
    `insert into storage (ledger_id, bytes, quota) select id, 0, $2 from ledger where handle = $1
     on conflict (ledger_id) do update set quota = excluded.quota`,
    [ledger, bytes],
  );

describe('the quota of a ledger (interface/limits#stored-bytes)', () => {
  it('refuses writes of that ledger, and tells what it stores and what it may', async () => {
    const client = await newLedger(server.current.url);
    const system = await systemKey(client);
    const refused = await fill(client);
    expectRefusal(refused, {
      reason: 'api.rate-limit-exceeded',
      detail: new RegExp(`^The ledger stores \\d+ bytes, and may store ${QUOTA}\\. Erase dropped records, or ask`),
      signedBy: system,
    });
    expect(refused.status).toBe(429);
    expect(described.answerErrors('POST', '/wallets', 429, refused.body)).toBeUndefined();
    const { counted, texts } = await stored(client);
    expect(counted).toBeGreaterThan(texts);
    expect(counted).toBeLessThanOrEqual(QUOTA);
    // Reads, drops and other ledgers go on.
    const { body } = ok(await client.get('/wallets/w-0'));
    expect((await client.update('/wallets/w-0', body, large('w-0'))).status).toBe(429);
    expect((await client.drop('/wallets/w-0', body)).status).toBe(204);
    expect((await (await newLedger(server.current.url)).create('/wallets', large('w'))).status).toBe(201);
  });

  it('counts what other processes have stored, and what was stored before the start', async () => {
    const client = await newLedger(server.current.url);
    await fill(client);
    const { database } = server.current;
    const other = await startServer({ database, ledgerQuota: QUOTA });
    try {
      const there = client.at(other.url);
      expect((await there.create('/wallets', large('there'))).status).toBe(429);
    } finally {
      await other.stop();
    }
  });

  it('gives back what was erased', async () => {
    const client = await erasingLedger(server.current.url);
    const { body: gone } = await client.create('/wallets', { handle: 'gone', custom: { text: 'x'.repeat(50_000) } });
    ok(await client.drop('/wallets/gone', gone));
    await fill(client);
    const before = await stored(client);
    const path = `/wallets/${gone.luid}/erase`;
    await eventually(async () => ok(await client.call('POST', path, erasureOf(gone.luid, 2, client.key))));
    const after = await stored(client);
    expect(before.counted - after.counted).toBeGreaterThan(40_000);
    await eventually(async () => expect((await client.create('/wallets', large('after'))).status).toBe(201));
  });

  it('is what an operator allows that ledger', async () => {
    const client = await newLedger(server.current.url);
    await fill(client);
    await allow(client, 2 * QUOTA);
    await eventually(async () => expect((await client.create('/wallets', large('more'))).status).toBe(201));
    await allow(client, 0);
    await eventually(async () => {
      const { status, body } = await client.create('/wallets', large(`none-${performance.now()}`));
      expect([status, body.data.detail]).toEqual([429, expect.stringContaining('and may store 0.')]);
    });
  });
});
