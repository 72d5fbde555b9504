import { readFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settings } from '../src/config.js';
import { tooOld } from '../src/node-version.js';
import { createDatabase } from './support/database.js';
import { freePort } from './support/free-port.js';
import { BUNDLED, newDatabase, start, withStarts } from './support/starts.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The program as it is published. */
const MAIN = join(root, 'packages/server/dist/main.js');

const place = withStarts();

describe('a start', () => {
  it('names its real address, and how to look at it', async () => {
    const [port, metrics, operators] = [await freePort(), await freePort(), await freePort()];
    const { out, err, code } = await start({
      DATABASE_URL: (await newDatabase(createDatabase)).url,
      ...{ PORT: String(port), METRICS_PORT: String(metrics), ADMIN_PORT: String(operators) },
      OPERATOR_KEYS: `alice=${Buffer.alloc(32, 7).toString('base64')}`,
      PUBLIC_URL: 'https://ledger.example/v2',
    });
    expect(code).toBe(0);
    const at = (port: number) => `on http://127.0.0.1:${port}`;
    const addresses = [`listening ${at(port)}/v2`, `metrics ${at(metrics)}/metrics`, `operators ${at(operators)}`];
    expect(out).toContain([...addresses, 'console on https://ledger.example/console/\n'].join('\n'));
    expect(out).toContain(`   npx countersign init acme --server http://127.0.0.1:${port}/v2\n`);
    expect(out).toContain(`   npm run tour -- http://127.0.0.1:${port}/v2\n`);
    expect(out).toContain(`the master key, ${join(place.dataDir, 'master.key')}: without it`);
    // The disk of that database is not known.
    expect(err.match(/LEDGER_QUOTA is off: nothing bounds what a ledger stores/g)).toHaveLength(1);
    for (const path of ['', 'v2/openapi.json']) expect(out).toContain(`   https://ledger.example/${path}\n`);
  });

  it.skipIf(process.platform !== 'linux')('goes on where its log cannot be written, and ends', async () => {
    const { url } = await newDatabase();
    const full = await open('/dev/full', 'w');
    const settings = { DATABASE_URL: url, PORT: String(await freePort()), LOG_LEVEL: 'trace' };
    expect(await start(settings, [BUNDLED], full.fd)).toMatchObject({
      code: 0,
      out: expect.stringContaining('listening on'),
    });
    await full.close();
  });
});

describe('the command line', () => {
  it('prints help with every setting, the build, and one line for anything else', async () => {
    const help = await start({}, [BUNDLED, '--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const { name } of Object.values(settings)) expect(help.out).toContain(`\n  ${name}`);
    expect(help.out.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
    expect(await start({}, [BUNDLED, '--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    for (const [args, why] of [
      [['--port=1'], 'there is no option --port=1: countersign-server --help lists them'],
      [['constructor'], 'there is no option constructor: countersign-server --help lists them'],
      [['--check', 'now'], '--check stands alone: now has no meaning beside it'],
    ] as const)
      expect(await start({}, [BUNDLED, ...args])).toEqual({ code: 2, out: '', err: `countersign: ${why}\n` });
  });

  it('warns of variables that look like settings', async () => {
    const settings = {
      WORKER: '3',
      DATABASEURL: 'postgresql://there/',
      PORT: String(await freePort()),
      METRICS_PORT: 'off',
    };
    const { err } = await start(settings, [BUNDLED, '--check']);
    expect(err).toBe(
      'countersign: WORKER is not a setting, and is ignored: WORKERS may be meant\n' +
        'countersign: DATABASEURL is not a setting, and is ignored: DATABASE_URL may be meant\n',
    );
  });
});

describe('what cannot be used', () => {
  it('is an old Node.js, as package.json and the scripts say too', async () => {
    expect(tooOld('20.18.3')).toMatch(/^countersign: needs Node\.js 20\.19 or later, and this is 20\.18\.3: see \S+$/);
    for (const version of ['12.22.9', '18.20.4', '19.0.0']) expect(tooOld(version)).toBeDefined();
    for (const version of ['20.19.0', '22.0.0', '24.21.0', '26.10.0', process.versions.node])
      expect(tooOld(version)).toBeUndefined();
    const names = ['cli', 'client', 'embedded-postgres', 'protocol', 'safe-json-schema', 'server', 'verifier'];
    const packages = names.map((name) => `packages/${name}`);
    for (const path of ['.', ...packages]) {
      expect(JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).engines.node).toBe('>=20.19');
    }
    const pretend = join(place.folder, 'pretend.cjs');
    await writeFile(pretend, "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });");
    const outcome = await start({}, ['-r', pretend, MAIN]);
    expect(outcome).toEqual({ code: 1, out: '', err: `${tooOld('18.20.4')}\n` });
    const script = await start({}, ['-r', pretend, '-r', join(root, 'scripts/node-version.cjs'), MAIN]);
    expect(script).toEqual(outcome);
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [name, command] of Object.entries<string>(scripts)) {
      if (command.includes('node ')) expect(command, name).toContain('node -r ./scripts/node-version.cjs scripts/');
    }
  });

  it('is no Node.js that misreads JSON: every process replaces the function before it loads a dependency', async () => {
    const [misreading, spy] = ['misreading', 'loaded-before'].map((name) =>
      join(root, `packages/server/test/support/${name}.cjs`),
    );
    const LOADED_BEFORE = join(place.folder, 'loaded-before');
    const { url } = await newDatabase();
    const settings = {
      LOADED_BEFORE,
      DATABASE_URL: url,
      MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
      PORT: String(await freePort()),
      WORKERS: '2',
      LOG_LEVEL: 'error',
    };
    const outcome = await start(settings, ['-r', misreading!, '-r', spy!, MAIN]);
    expect(outcome).toMatchObject({ code: 0, err: '' });
    const lines = readFileSync(LOADED_BEFORE, 'utf8').trim().split('\n');
    const all = lines.map((line): { program: string; loaded: string[] } => JSON.parse(line));
    expect(all.flatMap(({ loaded }) => loaded)).toEqual([]);
    expect(all.map(({ program }) => program).sort()).toEqual([...Array(3).fill('main.js'), 'thread', 'thread']);
  });
});
