import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyCheck } from '../../src/keys/master-key.js';
import { newLedger, OPEN, TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

const next = Buffer.alloc(32, 9);
/** Values that a ledger is born with. */
const PER_LEDGER = 4;

const held: Buffer[] = [];
const lines: string[] = [];
let server: RunningServer;

beforeAll(async () => {
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  server = await startServer({ logger, loadKeys: async () => held });
});
afterAll(() => server.stop());

const sql = (text: string, values: unknown[] = []) => runSql(server.database.url, text, values);
const readiness = async () => (await fetch(server.url.replace('/v2', '/health/ready'))).status;
const told = (text: string) => lines.filter((line) => line.includes(text)).length;

it('a process that lacks the next master key says so, seals nothing under a closed one, and goes on once it has it', async () => {
  const client = await newLedger(server.url);
  await sql('insert into master_key (number, key_check) values (2, $1)', [keyCheck(next)]);
  await eventually(async () => expect(await readiness()).toBe(503));
  expect(told('this process lacks a master key')).toBe(1);
  // The former key is open still: this process seals under it.
  await newLedger(server.url);
  await sql('update master_key set is_open = false where number = 1');
  const refused = await new TestClient(server.url).create('/ledgers', {
    handle: 'refused',
    signer: 'system',
    access: OPEN,
  });
  expect([refused.status, refused.body.data.reason]).toEqual([503, 'api.unexpected-error']);
  await stored(client, 'wallet', { handle: 'w' });
  ok(await client.get('/wallets/w'));

  held.push(next);
  await eventually(async () => expect(await readiness()).toBe(200));
  expect(told('this process holds all master keys again')).toBe(1);
  await newLedger(server.url);
  const rows = await sql(
    'select get_byte(sealed, 0) as number, count(*)::int as count from secret group by 1 order by 1',
  );
  expect(rows).toEqual([
    { number: 1, count: 1 + 2 * PER_LEDGER },
    { number: 2, count: PER_LEDGER },
  ]);
  expect(await sql('select sealing, keys from process')).toEqual([
    { sealing: 2, keys: expect.arrayContaining([keyCheck(next)]) },
  ]);
});
