import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { auditLogs } from '../log/audit.js';
import { newKey, newLedger, OPEN, signed, systemKeyOf, type TestClient } from '../support/client.js';
import { ledgerId } from '../support/ledger-id.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withOwnServer, withTwoServers } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dropped, erase, erasingLedger, erasureOf, MAY_ERASE, SECRET_NAME, whileLocked } from './support.js';

const server = withOwnServer();

describe('erasing a record', () => {
  it('leaves one change, which says so in the names of who asked and of the ledger', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const erased = ok(await erase(client, gone)).body as RecordEnvelope;
    const { luid } = gone.record;
    expect(erased).toMatchObject({
      data: { luid, change: gone.changes.length, reason: 'asked for by the person' },
      luid,
      meta: { status: 'erased', owners: [] },
    });
    expect(erased.meta.proofs.map(({ public: key }) => key)).toEqual([client.key.public, systemKeyOf(client)]);
    for (const proof of erased.meta.proofs) expect(verifyProof(erased.hash, proof, native)).toBe(true);
    const { data, page } = ok(await client.get(`${gone.path}/changes`)).body;
    expect(page.total).toBe(1);
    expect(data).toMatchObject([{ hash: erased.hash, meta: { action: 'erase', change: gone.changes.length + 1 } }]);
    expect(ok(await client.get(`${gone.path}/changes/${gone.changes.length + 1}`)).body).toEqual(data[0]);
    expect(ok(await client.get(`${gone.path}/changes?meta.action=drop`)).body.data).toEqual([]);
    for (let change = 1; change <= gone.changes.length; change += 1) {
      expect(await client.get(`${gone.path}/changes/${change}`)).toMatchObject({
        status: 404,
        body: { data: { reason: 'record.not-found', detail: expect.stringMatching(/^Change erased/) } },
      });
    }
    expect((await client.get(gone.path)).status).toBe(404);
  });

  it('answers as the first time when it is asked again, by whomever', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const first = ok(await erase(client, gone));
    expect((await erase(client, gone)).text).toBe(first.text);
    expect((await erase(client.as(newKey()), gone, 'another reason')).text).toBe(first.text);
  });

  it('is refused of a record in force, of another change, and of another record', async () => {
    const client = await erasingLedger(server.current.url);
    const record = await stored(client, 'wallet', { handle: 'here' });
    const there = erasureOf(record.luid, 1, client.key);
    for (const id of ['here', record.luid]) {
      expect(refusalOf(await client.call('POST', `/wallets/${id}/erase`, there))).toBe(
        '422 Wallet is in force. Drop it before it is erased.',
      );
    }
    const gone = await dropped(client, 'wallet');
    const ask = (luid: string, change: number) =>
      client.call('POST', `${gone.path}/erase`, erasureOf(luid, change, client.key));
    expect(refusalOf(await ask(gone.record.luid, 2))).toBe(
      `422 The last change of the record is ${gone.changes.length}`,
    );
    expect(refusalOf(await ask(record.luid, gone.changes.length))).toBe(
      '422 Luid in the data does not match the luid of the record',
    );
    expect((await client.call('POST', '/wallets/missing/erase', there)).status).toBe(404);
    expect(ok(await client.get(`${gone.path}/changes`)).body.page.total).toBe(gone.changes.length);
  });

  it('keeps a body that made the record refused', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const before = await client.call('POST', '/wallets', gone.made);
    ok(await erase(client, gone));
    const after = await client.call('POST', '/wallets', gone.made);
    expect(before.status).toBe(422);
    expect(refusalOf(after)).toBe(refusalOf(before));
    await stored(client, 'wallet', { handle: String(gone.record.data.handle) });
  });

  it('leaves all that others have of the log as it was', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    await stored(client, 'wallet', { handle: 'stays' });
    await auditLogs(server.current.database.url);
    const leaves = () =>
      runSql(server.current.database.url, `select ledger_id, luid, first, commitments from log_leaf order by 1, 3`);
    const before = await leaves();
    ok(await erase(client, gone));
    await auditLogs(server.current.database.url);
    expect((await leaves()).slice(0, before.length)).toEqual(before);
  });
});

describe('the right to erase', () => {
  it('is granted by its own name only', async () => {
    const { url } = server.current;
    const rules: [JsonObject[], number][] = [
      [OPEN as JsonObject[], 403],
      [[...(OPEN as JsonObject[]), { action: { $in: ['any'] }, record: 'any' }], 403],
      [[...(OPEN as JsonObject[]), { action: { $nin: ['read'] }, record: 'any' }], 403],
      [[...(OPEN as JsonObject[]), { action: { $nin: [] }, record: 'any' }], 403],
      [[...(OPEN as JsonObject[]), { action: 'erase', record: 'anchor' }], 403],
      [[...(OPEN as JsonObject[]), { action: { $in: ['drop', 'erase'] }, record: 'wallet' }], 200],
      [MAY_ERASE, 200],
    ];
    for (const [access, status] of rules) {
      const client = await newLedger(url, { access });
      expect((await erase(client, await dropped(client, 'wallet'))).status, JSON.stringify(access)).toBe(status);
    }
  });

  it('takes a signature', async () => {
    const client = await erasingLedger(server.current.url);
    const { record, path } = await dropped(client, 'wallet');
    const { meta: _, ...unsigned } = signed({ luid: record.luid, change: 4, reason: 'x' }, client.key);
    expect((await client.call('POST', `${path}/erase`, unsigned)).body.data.reason).toBe('crypto.signature-missing');
  });

  it('to read what is left is that of the rules around it', async () => {
    const [owner, stranger] = [newKey(), newKey()];
    const access: JsonObject[] = [{ action: 'any', record: 'any', signer: { public: owner.public } }];
    const client = await newLedger(server.current.url, {
      key: owner,
      access: [
        ...access,
        { action: 'any', record: 'any', bearer: { $signer: { public: owner.public } } },
        { action: 'erase', record: 'any' },
      ] as JsonObject[],
    });
    expect(stranger.public).not.toBe(owner.public);
    const wallet = await stored(client, 'wallet', { handle: 'w', access: [{ action: 'any', record: 'any' }] });
    ok(await client.drop('/wallets/w', wallet));
    const path = `/wallets/${wallet.luid}`;
    expect((await client.get(`${path}/changes`)).status).not.toBe(404);
    ok(await client.call('POST', `${path}/erase`, erasureOf(wallet.luid, 2, owner)));
    expect([401, 403]).toContain((await client.get(`${path}/changes`)).status);
  });
});

describe('at the same time', () => {
  it('two erasures make one change', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const answers = await Promise.all(Array.from({ length: 8 }, () => erase(client, gone)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(ok(await client.get(`${gone.path}/changes`)).body.page.total).toBe(1);
    await auditLogs(server.current.database.url);
  });

  it('readers see the record whole, or erased', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    let isDone = false;
    const reading = Array.from({ length: 4 }, async () => {
      const seen = new Set<string>();
      while (!isDone) {
        const one = await client.get(`${gone.path}/changes/1`);
        const all = await client.get(`${gone.path}/changes`);
        seen.add(`${one.status} ${all.status} ${[1, gone.changes.length].includes(all.body.page?.total)}`);
      }
      return [...seen];
    });
    ok(await erase(client, gone));
    isDone = true;
    for (const seen of await Promise.all(reading))
      for (const one of seen) expect(['200 200 true', '404 200 true']).toContain(one);
  });

  it('changes that wait to be sealed refuse it', async () => {
    const client = await erasingLedger(server.current.url);
    const { url } = server.current.database;
    await auditLogs(url);
    const id = await stopLog(client);
    const gone = await dropped(client, 'wallet');
    expect((await erase(client, gone)).status).toBe(503);
    expect(ok(await client.get(`${gone.path}/changes`)).body.page.total).toBe(gone.changes.length);
    await letGo(id);
    ok(await erase(client, gone));
    await auditLogs(url);
  });

  it('a backfill of the log refuses it', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const { url } = server.current.database;
    await auditLogs(url);
    // One that never ends: its ledger's log is stopped.
    const id = await stopLog(client);
    await runSql(url, BACKFILL, [id]);
    expect((await erase(client, gone)).status).toBe(503);
    expect(ok(await client.get(`${gone.path}/changes`)).body.page.total).toBe(gone.changes.length);
    await letGo(id);
    ok(await erase(client, gone));
  });

  // In a cluster it waits on the node of the ledger, which the coordinator does not tell.
  it.skipIf(process.env.CITUS_TEST_URL)('a log that begins anew while it waits for it refuses it', async () => {
    const client = await erasingLedger(server.current.url);
    const gone = await dropped(client, 'wallet');
    const { url } = server.current.database;
    await auditLogs(url);
    const id = await stopLog(client);
    const [answer] = await whileLocked(url, LOG, [id], async (holder, waiting) => {
      const answer = erase(client, gone);
      await waiting(1);
      await holder.query(BACKFILL, [id]);
      await holder.query('commit');
      return [answer];
    });
    expect((await answer).status).toBe(503);
    expect(ok(await client.get(`${gone.path}/changes`)).body.page.total).toBe(gone.changes.length);
    await letGo(id);
    ok(await erase(client, gone));
    await auditLogs(url);
  });
});

describe('two servers', () => {
  const servers = withTwoServers();

  it('forget it at once, and after a restart', async () => {
    const [one, two] = servers.current;
    const client = await erasingLedger(one.url);
    const other = client.at(two.url);
    const gone = await dropped(client, 'wallet');
    for (const path of ['/changes', '/changes/1', '/changes/2']) ok(await other.get(gone.path + path));
    ok(await erase(client, gone));
    const third = await startServer({ database: one.database });
    try {
      for (const reader of [client, other, client.at(third.url)]) {
        for (const path of ['/changes', '/changes/1', '/changes/2', '', '/events']) {
          const { status, text } = await reader.get(gone.path + path);
          expect(status).toBeLessThan(500);
          expect(text).not.toContain(SECRET_NAME);
        }
      }
    } finally {
      await third.stop();
    }
  });
});

/** Takes the row that an erasure waits for. */
const LOG = 'select from log where ledger_id = $1 for update';
/** As a log begins anew. */
const BACKFILL = `insert into log_backfill (ledger_id, luid, change) values ($1, '', 0)`;

/** Has nothing sealed of the client's ledger. @returns its number */
async function stopLog(client: TestClient): Promise<string> {
  const { url } = server.current.database;
  const id = await ledgerId(url, client);
  await runSql(url, `update log set stopped = 'for a test' where ledger_id = $1`, [id]);
  return id;
}

/** Has the log go on, with nothing of before. */
async function letGo(ledger: string): Promise<void> {
  const { url } = server.current.database;
  await runSql(url, 'delete from log_backfill where ledger_id = $1', [ledger]);
  await runSql(url, 'update log set stopped = null where ledger_id = $1', [ledger]);
}

/** Status and detail of a refusal, without its ledger. */
function refusalOf({ status, body }: { status: number; body: { data: { detail: string } } }): string {
  return `${status} ${body.data.detail.replace(/ on ledger '.*'$/, '')}`;
}
