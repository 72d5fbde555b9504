import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { eraseOnDatabase } from '../../src/archive/erase.js';
import { exportLedger } from '../../src/archive/export.js';
import { native } from '../../src/auth/native-suite.js';
import { createPool } from '../../src/store/pool.js';
import { auditLogs } from '../log/audit.js';
import { checkBooks } from '../money/invariants.js';
import { issue, MoneyScene } from '../money/scene.js';
import { newLedger, systemKeyOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dropped, dump, SECRET_NAME, tablesWith } from './support.js';

const server = withOwnServer();

async function withPool<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ connectionString: server.current.database.url, max: 3 }, () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

const means = () => ({
  keys: server.current.server.service.keys,
  suite: native,
  runtime: { now: () => Date.now(), random: randomBytes },
});

function eraseBeside(ledger: string, kind: string, luid: string, reason = 'Request 4711') {
  return withPool((pool) => eraseOnDatabase({ ...means(), pool, ledger, kind, luid, reason }));
}

describe('the operator', () => {
  it('erases a record of a ledger whose rules let nobody, in the name of the ledger alone', async () => {
    const { url, database } = server.current;
    const client = await newLedger(url);
    const ledger = client.ledger!;
    const gone = await dropped(client, 'wallet');
    const { luid } = gone.record;
    const { record, isRepeated } = await eventually(() => eraseBeside(ledger, 'wallet', luid));
    expect(isRepeated).toBe(false);
    expect(record.meta.proofs.map(({ public: key }) => key)).toEqual([systemKeyOf(client)]);
    const { data } = ok(await client.get(`${gone.path}/changes`)).body;
    expect(data).toMatchObject([{ hash: record.hash, data: record.data, meta: { action: 'erase' } }]);
    expect(await eraseBeside(ledger, 'wallet', luid, 'again')).toEqual({ record, isRepeated: true });
    expect(tablesWith(await dump(database.url), [SECRET_NAME, gone.record.hash])).toEqual([]);
    await auditLogs(database.url);
  });

  it('erases a final intent', async () => {
    const { url, database } = server.current;
    const client = await newLedger(url);
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    await stored(client, 'wallet', { handle: 'here' });
    const data = { handle: 'paid', claims: [issue('here', 7)], custom: { name: SECRET_NAME } };
    const { luid } = await stored(client, 'intent', data);
    const before = await MoneyScene.of(client).ends('paid', 'completed');
    await eventually(() => eraseBeside(client.ledger!, 'intent', luid));
    expect(tablesWith(await dump(database.url), [SECRET_NAME, before.hash])).toEqual([]);
    expect((await client.get('/intents/paid')).status).toBe(404);
    expect((await client.create('/intents', data)).status).toBe(409);
    expect(await MoneyScene.of(client).balance('here')).toEqual([7, 0]);
    expect(await eraseBeside(client.ledger!, 'intent', luid)).toMatchObject({ isRepeated: true });
    await checkBooks(database.url);
    await auditLogs(database.url);
  });

  it('is told what cannot be erased', async () => {
    const client = await newLedger(server.current.url);
    const ledger = client.ledger!;
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    const { luid } = await stored(client, 'wallet', { handle: 'here' });
    const refused = async (named: string, kind: string, id: string, words: string) =>
      expect(eraseBeside(named, kind, id)).rejects.toThrow(words);
    await refused('missing', 'wallet', luid, 'There is no ledger missing in this database.');
    await refused(ledger, 'thing', luid, 'There is no kind thing.');
    await refused(ledger, 'signer', luid, 'Records of the kind signer are never erased.');
    await refused(ledger, 'anchor', luid, `${luid} is not the luid of a anchor.`);
    await refused(ledger, 'wallet', luid, 'Wallet is in force. Drop it before it is erased.');
    const intent = await stored(client, 'intent', {
      handle: 'i',
      claims: [issue('here', 1)],
      config: { commit: 'manual' },
    });
    const waits = 'It can be erased once it is completed or rejected.';
    await refused(ledger, 'intent', intent.luid, waits);
    const other = luid.replace(/.$/, (last) => (last === '_' ? '-' : '_'));
    await refused(ledger, 'wallet', other, 'in this ledger.');
  });
});

describe('an export', () => {
  it('has the leaves of erased versions, and nothing else of them', async () => {
    const { url, database } = server.current;
    const client = await newLedger(url);
    const gone = await dropped(client, 'wallet');
    await eventually(() => eraseBeside(client.ledger!, 'wallet', gone.record.luid));
    const lines: string[] = [];
    await withPool((pool) =>
      exportLedger({
        ...means(),
        pool,
        ledger: client.ledger!,
        build: 'test',
        write: async (text) => void lines.push(text),
      }),
    );
    const text = lines.join('');
    expect(text).not.toContain(SECRET_NAME);
    const changes = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ line, luid }) => line === 'change' && luid === gone.record.luid);
    const erased = changes.slice(0, -1);
    expect(changes.map(({ change }) => change)).toEqual([...gone.changes.map((_, at) => at + 1), changes.length]);
    expect(changes.at(-1)).toMatchObject({ action: 'erase', text: expect.any(String) });
    const rows = await runSql<object>(
      server.current.database.url,
      `select change, first::int as index, encode(commitments, 'base64') as commitment from log_leaf
       where luid = $1 order by change limit $2`,
      [gone.record.luid, erased.length],
    );
    expect(erased.map(({ change, hash, text, leaf }) => ({ change, hash, text, ...leaf }))).toEqual(
      rows.map((row) => ({ hash: null, text: null, ...row })),
    );
    await auditLogs(database.url);
  });
});
