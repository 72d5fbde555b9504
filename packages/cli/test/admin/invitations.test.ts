import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { parseServerRules } from '../../../server/src/access/server-rules.js';
import { newKey, signed, TestClient, type TestKey } from '../../../server/test/support/client.js';
import { blockOf } from '../../../server/test/support/page.js';
import { startServer, TEST_MASTER_KEY, withTwoServers } from '../../../server/test/support/server.js';
import { runSql } from '../../../server/test/support/sql.js';
import { bearer } from '../../../server/test/support/token.js';
import { dumpRows } from '../../../server/test/upgrade/dump.js';
import { Cli, withFolder } from '../support/cli.js';

const rules = blockOf('tenants', '[{"action": "read"');
const servers = withTwoServers({ serverRules: parseServerRules(rules) });
const folder = withFolder();
const admin = () =>
  new Cli(folder.path, { DATABASE_URL: servers.databaseUrl, MASTER_KEY: TEST_MASTER_KEY.toString('base64') });

interface Invitation {
  readonly id: number;
  readonly code: string;
}

const invite = async (...more: string[]): Promise<Invitation> =>
  (await admin().done(['admin', 'invite', '--json', ...more])).json;
const carry = (code: string) => ({ authorization: `Bearer ${code}` });

let count = 0;
const founding = (key: TestKey = newKey(), handle = `invited-${++count}`) => signed({ handle, signer: 'system' }, key);

/** Asks a server for a ledger. */
const post = (body: object, headers: Record<string, string> = {}, { url } = servers.current[0]) =>
  new TestClient(url).call('POST', '/ledgers', body as never, headers);

const REFUSED = { reason: 'auth.forbidden', detail: 'Cannot create ledger.' };
const told = async (answer: ReturnType<typeof post>) => {
  const { status, body } = await answer;
  return { status, reason: body.data?.reason, detail: body.data?.detail, hint: body.data?.custom?.hint };
};
const refused = (hint: RegExp) => ({ status: 403, ...REFUSED, hint: expect.stringMatching(hint) });

describe('where ledgers are made by invitation', () => {
  it('nobody makes one without, and is told where to ask', async () => {
    const without = refused(/decides who may create ledgers.*as the bearer token/);
    expect(await told(post(founding()))).toEqual(without);
    expect(await told(post(founding(), bearer(newKey())))).toEqual(without);
    expect(await told(post(founding(), carry(`inv_${'x'.repeat(32)}`)))).toEqual(refused(/is not one of this server/));
    // What has another form is a token that is none.
    expect((await post(founding(), carry('inv_short'))).status).toBe(401);
  });

  it('a code makes one ledger, at whichever process; the same body is answered again, and another one refused', async () => {
    const [one, two] = servers.current;
    const { code } = await invite();
    const key = newKey();
    const body = founding(key);
    const made = await post(body, carry(code), two);
    expect([made.status, made.body.meta.owners]).toEqual([201, [key.public]]);
    const again = await post(body, carry(code), one);
    expect([again.status, again.body.luid]).toEqual([200, made.body.luid]);
    expect(await told(post(founding(key), carry(code)))).toEqual(refused(/was used already/));
    // It opens nothing but that.
    const client = new TestClient(one.url, key, made.body.data.handle);
    expect(await client.get('/wallets', carry(code))).toMatchObject({
      status: 401,
      body: { data: { reason: 'auth.unauthorized' } },
    });
    expect((await new TestClient(one.url).get('/ledgers', carry(code))).status).toBe(401);
    // Nor does it show another ledger to whoever has overheard what made that.
    const others = founding();
    await post(others, carry((await invite()).code));
    expect(await told(post(others, carry(code)))).toEqual(refused(/was used already/));
  });

  it('a code is used up where none is needed, too', async () => {
    const { code } = await invite();
    const open = await startServer({ database: servers.current[0].database });
    expect((await post(founding(), carry(code), open)).status).toBe(201);
    expect((await post(founding(), carry(code), open)).status).toBe(201);
    await open.stop();
    expect(await told(post(founding(), carry(code)))).toEqual(refused(/was used already/));
  });

  it('of many at once one makes it', async () => {
    const { code } = await invite();
    const bodies = Array.from({ length: 6 }, () => founding());
    const answers = await Promise.all(bodies.map((body, at) => post(body, carry(code), servers.current[at % 2])));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(403)]);
    const luids = answers.filter(({ status }) => status === 201).map(({ body }) => body.luid);
    const found = await runSql(servers.databaseUrl, 'select luid from ledger where handle = any($1)', [
      bodies.map(({ data }) => (data as { handle: string }).handle),
    ]);
    expect(found).toEqual(luids.map((luid) => ({ luid })));
    // The same body, from a client that has sent it several times.
    const other = await invite();
    const body = founding();
    const same = await Promise.all([0, 1, 0, 1].map((at) => post(body, carry(other.code), servers.current[at])));
    expect(same.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
    expect(new Set(same.map(({ body: { luid } }) => luid)).size).toBe(1);
  });

  it('what makes no ledger uses none up', async () => {
    const { code } = await invite();
    const taken = founding();
    await post(taken, carry((await invite()).code));
    const { handle } = taken.data as { handle: string };
    expect((await post(founding(newKey(), handle), carry(code))).status).toBe(409);
    expect((await post({ ...founding(), hash: '0'.repeat(64) }, carry(code))).status).toBe(422);
    expect((await post(founding(), carry(code))).status).toBe(201);
  });

  it('a code ends with its time, and outlives a restart', async () => {
    const [late, kept] = [await invite('--for', '1m'), await invite()];
    await runSql(servers.databaseUrl, `update invitation set expires = clock_timestamp() where id = $1`, [late.id]);
    expect(await told(post(founding(), carry(late.code)))).toEqual(refused(/has expired/));
    const later = await startServer({ database: servers.current[0].database, serverRules: parseServerRules(rules) });
    expect((await post(founding(), carry(kept.code), later)).status).toBe(201);
    await later.stop();
  });

  it('the database has no code, used or not', async () => {
    const [open, used] = [await invite(), await invite()];
    await post(founding(), carry(used.code));
    const client = new pg.Client({ connectionString: servers.databaseUrl });
    await client.connect();
    const rows = await dumpRows(client).finally(() => client.end());
    expect(rows).toContain('insert into invitation');
    for (const { code } of [open, used]) {
      const random = code.slice('inv_'.length);
      // Bytes are in hex there.
      const forms = [random, Buffer.from(random).toString('hex'), Buffer.from(random, 'base64url').toString('hex')];
      for (const form of forms) expect(rows).not.toContain(form);
    }
  });
});

describe('countersign admin invite and invitations', () => {
  it('writes the code, and lists what became of each', async () => {
    const { out, err } = await admin().done(['admin', 'invite', '--note', 'Bank A', '--for', '2d']);
    expect(out).toMatch(/^inv_[\w-]{32}\n$/);
    expect(err).toMatch(/Invitation \d+ made, valid for one ledger until 2.*Z/);
    const made = await post(founding(), carry(out.trim()));
    const revoked = await invite();
    const { json } = await admin().done(['admin', 'invitations', '--json', '--limit', '2']);
    const { luid, data } = made.body;
    expect(json).toMatchObject({
      invitations: [
        { id: revoked.id, note: '', state: 'open', ledger: null },
        { note: 'Bank A', state: 'used', ledger: { luid, handle: data.handle } },
      ],
      isMore: true,
    });
    expect(JSON.stringify(json)).not.toContain('inv_');
    await admin().done(['admin', 'invitations', '--revoke', String(revoked.id)]);
    expect(await told(post(founding(), carry(revoked.code)))).toEqual(refused(/was revoked/));
    const again = await admin().call(['admin', 'invitations', '--revoke', String(revoked.id)]);
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringContaining(`Invitation ${revoked.id} does not exist: see \`countersign admin invitations\`.`),
    ]);
    const used = await admin().call(['admin', 'invitations', '--revoke', String(json.invitations[1].id)]);
    expect([used.code, used.err]).toEqual([1, expect.stringContaining('was used, so it cannot be revoked')]);
  });

  it('init and ledger create take it', async () => {
    const cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'secret' });
    const [url, key] = [servers.current[0].url, 'ada'];
    const init = (handle: string, ...more: string[]) =>
      cli.call(['init', handle, '--signer', key, '--server', url, ...more]);
    expect((await init('bank-a')).err).toContain('or for an invitation (--invitation <code>)');
    const { code } = await invite();
    expect((await init('bank-a', '--invitation', code)).code).toBe(0);
    await cli.done(['wallet', 'create', 'till']);
    const used = await init('bank-b', '--invitation', code);
    expect([used.code, used.err]).toEqual([1, expect.stringContaining('Try: The invitation was used')]);
    const other = await invite();
    await cli.with({ COUNTERSIGN_INVITATION: other.code }).done(['ledger', 'create', 'bank-b']);
    expect((await init('bank-c', '--invitation', code.slice(0, -1))).code).toBe(2);
  });
});
