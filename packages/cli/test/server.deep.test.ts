import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../server/test/support/database.js';
import { eventually } from '../../server/test/support/eventually.js';
import { freePort } from '../../server/test/support/free-port.js';
import { startServer, withOwnServer } from '../../server/test/support/server.js';
import { isSameServer } from '../src/wire/exchange.js';
import { Cli, withFolder } from './support/cli.js';

const running = withOwnServer();
const folder = withFolder();
let cli: Cli;

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
});

describe('the beginning', () => {
  it('makes key and ledger by which the owner reads and writes, and prints the environment', async () => {
    const made = await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
    expect(made.out).toBe(
      `export COUNTERSIGN_SERVER=${running.current.url}\nexport COUNTERSIGN_LEDGER=acme\nexport COUNTERSIGN_SIGNER=owner\n`,
    );
    await cli.done(['wallet', 'create', 'shop']);
    expect((await cli.done(['wallet', 'show', 'shop', '--json'])).json.data.handle).toBe('shop');
    expect((await cli.done(['wallet', 'list', '--json'])).json).toHaveLength(1);
    const nobody = await cli.call(['wallet', 'show', 'shop', '--anonymous']);
    expect([nobody.code, nobody.err.split('\n')[1]]).toEqual([1, '  Reason: auth.unauthorized']);
    // The same, by what it has printed, in a home without contexts.
    const env = Object.fromEntries(
      made.out
        .trim()
        .split('\n')
        .map((line) => line.slice('export '.length).split('=')),
    );
    const elsewhere = { ...env, COUNTERSIGN_CONTEXT: '' };
    expect((await cli.done(['wallet', 'show', 'shop', '--json'], { env: elsewhere })).json.data.handle).toBe('shop');
    expect(statSync(join(folder.path, 'state', 'contexts.json')).mode & 0o777).toBe(0o600);
  });

  it('makes no key and no ledger when the server is away', async () => {
    const away = `http://127.0.0.1:${await freePort()}/v2`;
    const outcome = await cli.call(['init', 'other', '--signer', 'never', '--server', away]);
    expect(outcome.code).toBe(3);
    expect(outcome.err).toMatch(/^✗ http:.* does not answer: ECONNREFUSED\.\n {2}Try: start the server/);
    const reading = await cli.call(['wallet', 'show', 'shop', '--server', away]);
    expect([reading.code, reading.err]).toEqual([
      3,
      `✗ The server cannot be reached: GET ${away}/wallets/shop has no answer (ECONNREFUSED).\n` +
        '  Try: start the server (`countersign serve` here), or mend its address (`countersign connect <url>`)\n',
    ]);
    const writing = await cli.call(['wallet', 'create', 'never', '--server', away]);
    expect([writing.code, writing.err]).toEqual([3, expect.stringContaining('; look whether the write was done')]);
    expect((await cli.done(['key', 'list'])).out).not.toContain('never');
  });

  it('shows a server whose database is gone as DOWN, with the exit code of one out of reach', async () => {
    const other = await startServer();
    await other.database.drop();
    const told = await eventually(async () => {
      const outcome = await cli.call(['status', '--server', other.url]);
      expect(outcome.code).toBe(3);
      return outcome;
    });
    expect(told.out).toMatch(/^Status: +DOWN$/m);
    expect(told.err).toMatch(/^✗ The server does not reach its database\.\n {2}Try: see the log of the server/);
    await other.stop();
  });

  it('connects, selects ledgers, and keeps several contexts', async () => {
    const status = await cli.done(['status']);
    expect(status.out).toMatch(/^Context: +default$/m);
    expect(status.out).toMatch(/^Ledger: +acme$/m);
    expect(status.out).toMatch(/^Signer: +owner \([A-Za-z0-9+/]{43}=\)$/m);
    expect(status.out).toMatch(/^Status: +UP$/m);
    const connected = await cli.done(['connect', running.current.url, '--context', 'second']);
    expect(connected.err).toBe(`✓ Connected to server test (${running.current.url})\n`);
    expect((await cli.call(['wallet', 'list'])).code).toBe(2);
    await cli.done(['ledger', 'select', 'acme']);
    await cli.done(['context', 'select', 'second', '--signer', 'owner']);
    expect((await cli.done(['wallet', 'list', '--json'])).json).toHaveLength(1);
    const contexts = (await cli.done(['context', 'list', '--json'])).json;
    expect(contexts.map((one: { name: string; isSelected: boolean }) => [one.name, one.isSelected])).toEqual([
      ['default', false],
      ['second', true],
    ]);
    // The key that the ledger signs with is noted the same, however it was learnt.
    expect(contexts[1].system).toBe(contexts[0].system);
    expect((await cli.call(['status', '--context', 'none'])).code).toBe(2);
    // Another spelling of the same address forgets nothing.
    for (const spelling of [`${running.current.url.toUpperCase().replace('/V2', '/v2')}/`, running.current.url]) {
      await cli.done(['connect', spelling]);
      expect((await cli.done(['context', 'list', '--json'])).json[1]).toEqual(contexts[1]);
    }
    expect(isSameServer('https://Ledger.example:443/v2//', 'https://ledger.example')).toBe(true);
    expect(isSameServer('http://localhost/v2', 'http://127.0.0.1/v2')).toBe(false);
  });

  it('holds answers to the key that was noted', async () => {
    const path = join(folder.path, 'state', 'contexts.json');
    const { contexts } = JSON.parse(readFileSync(path, 'utf8'));
    const { system } = contexts.second;
    const forged = readFileSync(path, 'utf8').replaceAll(system, `${'A'.repeat(43)}=`);
    const before = readFileSync(path);
    writeFileSync(path, forged);
    const outcome = await cli.call(['wallet', 'show', 'shop']);
    expect(outcome.code).toBe(5);
    expect(outcome.err).toContain('The answer does not verify');
    const spelled = running.current.url.replace('http:', 'HTTP:');
    expect((await cli.call(['wallet', 'show', 'shop', '--server', `${spelled}/`])).code).toBe(5);
    const found = await cli.call(['verify', 'wallets/shop']);
    expect([found.code, found.out]).toEqual([1, expect.stringContaining(`has the key ${system}, and not AAAA`)]);
    const kept = await cli.call(['ledger', 'select', 'acme']);
    expect([kept.code, kept.err]).toEqual([2, expect.stringContaining('add --yes')]);
    expect((await cli.call(['ledger', 'select', 'acme', '--server', `${spelled}/`])).code).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(forged);
    const selected = await cli.done(['ledger', 'select', 'acme', '--yes']);
    expect(selected.err).toContain('Beware: this ledger signed with another key before');
    expect(JSON.parse(readFileSync(path, 'utf8')).contexts.second.system).toBe(system);
    writeFileSync(path, before);
  });
});

describe('the README', () => {
  it('has lines that work as they are printed', async () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const text = readFileSync(join(root, 'README.md'), 'utf8');
    const [, lines = ''] = /<!-- command-line -->\n```sh\n([^`]+)```/.exec(text) ?? [];
    expect(lines).toContain('npx countersign init');
    const home = join(folder.path, 'readme');
    const { HOME: _, ...env } = new Cli(home).environment({ COUNTERSIGN_SERVER: running.current.url });
    const out = await inShell(`set -e\n${lines}`, root, { ...env, HOME: process.env.HOME ?? home });
    expect(out).toContain('export COUNTERSIGN_LEDGER=books');
    expect(out).toMatch(/^usd +available +100\.00$/m);
    expect(out).toMatch(/^1 +create +created /m);
  });
});

/** Runs lines in a shell; the server of the tests goes on meanwhile. */
async function inShell(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  const shell = spawn('bash', ['-c', script], { cwd, env });
  let out = '';
  let err = '';
  shell.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  shell.stderr.on('data', (text: Buffer) => {
    err += text;
  });
  const [code] = await once(shell, 'close');
  expect(code, err).toBe(0);
  return out;
}

describe('curl', () => {
  it('signs, and writes the answer as it is', async () => {
    const made = await cli.done(['curl', 'POST', '/wallets', '-d', '{"data":{"handle":"curled"}}']);
    expect(made.json.meta.proofs[0].custom).toMatchObject({ status: 'created', ledger: 'acme', record: 'wallet' });
    const read = await cli.done(['curl', 'get', 'v2/wallets/curled']);
    expect(read.out).toBe(made.out);
    expect(
      (await cli.done(['curl', 'POST', '/wallets/curled/proofs', '-d', '@-'], { input: '{"status":"active"}' })).json
        .meta.status,
    ).toBe('active');
    expect(
      (await cli.done(['curl', 'PUT', '/wallets/curled', '-d', '{"data":{"handle":"curled"}}'])).json.data.parent,
    ).toBe(made.json.hash);
    const included = await cli.done(['curl', '-i', 'DELETE', '/wallets/curled']);
    expect(included.out).toMatch(/^204\n/);
    const gone = await cli.call(['curl', 'GET', '/wallets/curled']);
    expect([gone.code, JSON.parse(gone.out).data.reason]).toEqual([1, 'record.not-found']);
    expect((await cli.done(['curl', 'GET', '/'])).json.data.status).toBe('UP');
    expect((await cli.done(['curl', 'GET', '/ledgers'])).json.data).toHaveLength(1);
    const bare = await cli.call(['curl', 'POST', '/wallets', '-d', '{"handle":"bare"}']);
    expect([bare.code, bare.err.split('\n').at(-2)]).toEqual([
      1,
      '  Try: the body has no "data", an object with the members of the record: -d \'{"data": {"handle": "shop"}}\'. ' +
        'It is then hashed and signed here',
    ]);
    expect((await cli.call(['curl', 'PUT', '/wallets/shop'])).err).toContain('Try: the request has no body: give');
    expect((await cli.call(['curl', 'FETCH', '/'])).code).toBe(2);
    expect((await cli.call(['curl', 'POST', '/wallets', '-d', '{'])).code).toBe(2);
  });
});

describe('exit codes and messages', () => {
  it('tell reason, detail and what to try', async () => {
    const refused = await cli.spawn(['wallet', 'create', 'shop']);
    expect(refused.code).toBe(1);
    expect(refused.err).toBe(
      '✗ Wallet with handle shop already exists.\n  Reason: record.duplicated\n' +
        '  Try: choose another handle, or use the record that is there (a ledger: `countersign ledger select <handle>`)\n',
    );
    const json = await cli.call(['wallet', 'create', 'shop', '--json']);
    expect(JSON.parse(json.err).data).toMatchObject({ reason: 'record.duplicated' });
    expect(json.out).toBe('');
    const wrong = await cli.call(['symbol', 'create', 'x', '--data', '{"factor":7}']);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain('/data/factor');
  });

  it.each([
    ['an unknown command', ['walet']],
    ['an unknown option', ['wallet', 'list', '--fast']],
    ['a missing value', ['wallet', 'show']],
    ['no JSON', ['wallet', 'create', 'x', '--custom', '{']],
    ['a number that would change', ['wallet', 'create', 'x', '--custom', '{"n":12345678901234567890}']],
    ['no address', ['connect', 'ftp://x']],
  ])('are 2 for %s', async (_, args) => {
    expect((await cli.call(args)).code).toBe(2);
  });

  it.each([
    ['nonsense', [], "✗ Unknown command 'nonsense'.\n  Try: see `countersign --help`\n"],
    [
      'wallet crate',
      ['x'],
      "✗ Unknown command 'crate'.\n  Try: did you mean create? See `countersign wallet --help`\n",
    ],
    [
      'wallet list',
      ['--jsno'],
      "✗ Unknown option '--jsno'.\n  Try: did you mean --json? See `countersign wallet list --help`\n",
    ],
    ['completion', [], "✗ Missing required argument 'shell'.\n  Try: see `countersign completion --help`\n"],
  ])('tell how %s was called incorrectly, in JSON where that is asked for', async (words, args, told) => {
    const { code, out, err } = await cli.call([...words.split(' '), ...args]);
    expect([code, out, err]).toEqual([2, '', told]);
    const json = await cli.call([...words.split(' '), ...args, '--json']);
    expect([json.code, json.out]).toEqual([2, '']);
    expect(JSON.parse(json.err)).toEqual({ error: { exit: 2, detail: told.slice(2).split('\n')[0] } });
  });

  it('name the member that is unknown, and say how JSON is given', async () => {
    const unknown = await cli.call(['wallet', 'create', 'x', '--data', '{"colour":"red"}']);
    expect(unknown.err).toContain('  - /data must NOT have unevaluated properties: colour\n');
    const cut = await cli.call(['wallet', 'create', 'x', '--custom', '{tier: gold}']);
    expect(cut.err).toBe(
      '✗ --custom is not JSON that can be signed: Malformed JSON body.\n' +
        `  Try: quote it for the shell, such as '{"tier": "gold"}'\n`,
    );
  });

  it('are 0 only of what was written to its end, and no stack is left to who reads less', async () => {
    for (const stream of ['stdout', 'stderr'] as const) {
      const child = cli.start(['verify', '--complete']);
      child[stream].destroy();
      const other = stream === 'stdout' ? child.stderr : child.stdout;
      const [code, told] = await Promise.all([once(child, 'close').then(([code]) => code), text(other)]);
      expect([stream, code, told.includes('    at ')]).toEqual([stream, stream === 'stdout' ? 4 : 0, false]);
    }
  });

  it('are 3 for what is not a ledger server', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect((await cli.call(['connect', `127.0.0.1:${port}`])).code).toBe(3);
    other.close();
  });

  it('shows no control characters that a server sends', async () => {
    await cli.done(['wallet', 'create', 'sly', '--custom', '{"note":"\\u001b[2J\\u202egnp"}']);
    const { out } = await cli.done(['wallet', 'show', 'sly']);
    for (const character of ['\u001b', '\u202e']) expect(out).not.toContain(character);
    expect(out).toContain('\\u001b[2J');
  });
});

describe('the proxy as a command', () => {
  it('says where it listens, serves, logs, and ends by a signal', async () => {
    const port = await freePort();
    const child = cli.start(['proxy', '--port', String(port)]);
    let out = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text;
    });
    await eventually(() => expect(out).toContain('Waiting for requests...'));
    expect(out).toMatch(new RegExp(`^Proxy server is running on port ${port}\\.`));
    const made = await fetch(`http://localhost:${port}/wallets`, {
      method: 'POST',
      body: '{"data":{"handle":"by-proxy"}}',
    });
    expect(made.status).toBe(201);
    const inOf = async (headers: Record<string, string>) =>
      (await fetch(`http://localhost:${port}/wallets/by-proxy`, { headers })).status;
    expect([await inOf({}), await inOf({ 'x-ledger': 'acme' }), await inOf({ 'x-ledger': 'none' })]).toEqual([
      200, 200, 404,
    ]);
    await eventually(() => expect(out).toMatch(/^POST \/wallets 201 \d+ ms$/m));
    const taken = await cli.call(['proxy', '--port', String(port)]);
    expect([taken.code, taken.err]).toEqual([
      4,
      `✗ Port ${port} cannot be opened: EADDRINUSE.\n  Try: choose another with --port\n`,
    ]);
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(out).not.toContain('correct horse');
  });

  it('refuses to start without a key, or with the wrong password', async () => {
    const bare = new Cli(join(folder.path, 'bare'));
    const without = await bare.call(['proxy']);
    expect([without.code, without.err.split('\n')[0]]).toEqual([2, '✗ No key is chosen to sign with.']);
    const wrong = await cli.call(['proxy'], { env: { COUNTERSIGN_PASSWORD: 'wrong' } });
    expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([4, '✗ The password does not open the key owner.']);
  });
});

describe('serve', () => {
  it('starts the server, which a signal ends, and a terminal that is closed does not', async () => {
    const database = await createDatabase();
    const port = await freePort();
    const data = join(folder.path, 'data');
    const env = { DATABASE_URL: database.url, METRICS_PORT: 'off', WORKERS: '1', LOG_LEVEL: 'silent' };
    const child = cli.start(['serve', '--port', String(port), '--data', data], env);
    let out = '';
    child.stdout.on('data', (text: Buffer) => {
      out += text;
    });
    await eventually(() => expect(out).toContain(`listening on http://127.0.0.1:${port}/v2`));
    expect((await cli.done(['status', '--server', `127.0.0.1:${port}`])).out).toMatch(/Status: +UP/);
    child.kill('SIGHUP');
    child.kill('SIGTERM');
    expect((await once(child, 'close'))[0]).toBe(0);
    await database.drop();
  });
});
