import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, signed, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { ask, bearing, credentialsFor, grant, partsOf, signer, tokenOf } from './scene.js';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/provider-key.mjs', import.meta.url));
const run = promisify(execFile);
const server = withServer();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-key-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function command(client: TestClient, more: string[] = [], encoding: BufferEncoding = 'hex'): Promise<string> {
  const file = join(folder, `${client.ledger}.key`);
  await writeFile(file, `${Buffer.from(client.key.secret).toString(encoding)}\n`);
  const named = ['--url', client.url, '--ledger', client.ledger ?? '', '--signer', 'prov', '--key', file];
  return (await run(process.execPath, [SCRIPT, ...named, ...more])).stdout;
}

describe('npm run provider-key', () => {
  it('makes a provider on a closed ledger, and a new key for it when it is run again', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'any', record: 'any', bearer: { $signer: { public: key.public } } },
    ];
    const client = await newLedger(server.current.url, { key, access });
    const first = await command(client, ['--ttl', '90']);
    expect(first).toContain('Registered signer prov.');
    expect(first).toContain('Made authentication policy prov-oauth.');
    await signer(client, 'app');
    const factor = { handle: 'app-oauth', signer: 'app', schema: 'oauth-client-credentials' };
    const body = signed(factor, key);
    const made = await client.call('POST', '/signers/app/factors?include=meta.secret', body, bearer(key));
    const credentials = { id: made.body.data.clientId, secret: made.body.meta.secret.clientSecret };
    const answer = await ask(client, grant(credentials));
    expect([answer.status, answer.body.expires_in]).toEqual([200, 90]);
    const [header] = partsOf(answer.body.access_token);
    expect(first).toContain(`factor ${header?.kid}.`);

    const second = await command(client, [], 'base64');
    expect(second).toContain('Signer prov is there already.');
    expect(second).toContain('prov-oauth names the signer already');
    expect(second).toContain(`Factor ${header?.kid} signs no more.`);
    const [next] = partsOf((await ask(client, grant(credentials))).body.access_token);
    expect(second).toContain(`factor ${next?.kid}.`);
    expect(next?.kid).not.toBe(header?.kid);
    expect((await client.get('/ledger', bearing(answer.body.access_token))).status).toBe(200);
  });

  it('vouches for signers of one schema where it is told so', async () => {
    const client = await newLedger(server.current.url);
    await command(client, ['--target', 'service']);
    await signer(client, 'app');
    expect((await ask(client, grant(await credentialsFor(client, 'app')))).body.error).toBe('invalid_grant');
    const { data } = (await client.get('/policies/prov-oauth')).body;
    expect(data.values).toEqual([{ schema: 'oauth2', signer: { handle: 'prov' }, target: { schema: 'service' } }]);
    await expect(tokenOf(client, await credentialsFor(client, 'app', 'again'))).rejects.toThrow('invalid_grant');
  });

  it('says in one line what is wrong, and leaves with 2 for a wrong call, else with 1', async () => {
    const client = await newLedger(server.current.url);
    const file = join(folder, 'bad.key');
    await writeFile(file, 'too short');
    const failures: [number, string[], string][] = [
      [2, [], '--ledger is missing: see --help'],
      [2, ['--nonsense'], 'nonsense'],
      [1, ['--ledger', 'l', '--signer', 's', '--key', file], 'does not hold 32 bytes'],
      [1, ['--ledger', 'l', '--signer', 's', '--key', join(folder, 'absent')], 'ENOENT'],
      [2, ['--ledger', 'l', '--signer', 's', '--key', file, '--url', 'nowhere'], '--url is not an address'],
      [2, ['--ledger', 'l', '--signer', 's', '--key', file, '--ttl', '0'], '--ttl must be'],
    ];
    for (const [code, given, message] of failures) {
      const failure = await run(process.execPath, [SCRIPT, ...given]).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code, stderr: expect.stringContaining(message) });
      expect((failure as { stderr: string }).stderr.trim().split('\n')).toHaveLength(1);
    }
    await expect(command(client.in('ghost'))).rejects.toMatchObject({
      stderr: expect.stringContaining('Server does not host requested ledger'),
    });
  });
});
