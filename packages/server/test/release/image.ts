import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey, OPEN, TestClient } from '../support/client.js';
import { root } from '../support/documents.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ok, stored } from '../support/scene.js';
import { Image, output } from './container.js';

const { pinnedNode } = await import(join(root, 'scripts/image/node.mjs'));

/** Fields of a record of what is in the image. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly evidence?: { readonly occurrences: readonly { readonly location: string }[] };
}

interface Bill {
  readonly bomFormat: string;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** Name and version of every package that is installed in the folder `node_modules`. */
async function modulesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const place = join(folder, name);
    if (name.startsWith('@')) {
      found.push(...(await modulesIn(place)));
      continue;
    }
    const manifest = readJson(await readFile(join(place, 'package.json'), 'utf8')) as Component;
    found.push(`${manifest.name}@${manifest.version}`);
    if (existsSync(join(place, 'node_modules'))) found.push(...(await modulesIn(join(place, 'node_modules'))));
  }
  return found;
}

/** The tests of the image of a release. @param out the folder that the release was made in */
export function testImage(out: string, version: string): void {
  const name = `countersign-${version}-linux-${process.arch}`;
  let tag: string;
  let home: string;
  let image: Image;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'countersign-image-test-'));
    // As from a registry; it has the name that the release gave it.
    await output('buildah', ['pull', '--quiet', `docker-archive:${join(out, `${name}.tar`)}`]);
    tag = `localhost/countersign-dry-run:${version}`;
    image = await Image.open(tag);
  }, 300_000);

  afterAll(async () => {
    await image?.remove();
    await output('buildah', ['rmi', tag]).catch(() => {});
    await rm(home, { recursive: true, force: true });
  });

  it.sequential('says what it is, who it runs as and how it is stopped', () => {
    const { Labels, Env, Entrypoint, Cmd, Healthcheck: _, ...config } = image.config;
    expect(config).toMatchObject({
      User: '10001:10001',
      StopSignal: 'SIGTERM',
      Volumes: { '/var/lib/countersign': {} },
      ExposedPorts: { '3000/tcp': {} },
    });
    expect([...Entrypoint, ...Cmd]).toEqual(['/usr/bin/tini', '--', 'countersign-server']);
    expect(Env).toEqual(expect.arrayContaining(['HOST=0.0.0.0', 'NODE_ENV=production']));
    const label = (name: string) => Labels[`org.opencontainers.image.${name}`];
    expect([label('title'), label('licenses'), label('version')]).toEqual(['Countersign', 'MIT', version]);
    const build = join(image.folder, 'opt/countersign/node_modules/@countersign/server/dist/build.json');
    expect(readJson(readFileSync(build, 'utf8'))).toEqual({ commit: label('revision') });
    expect(Date.parse(label('created') ?? '')).toBeGreaterThan(0);
  });

  it.sequential('holds the modules that run, in less than 100 MB, and nothing to compile or install with', async () => {
    // The documentation beside them, about 26 MB with its compressed forms, is no module.
    const docs = '/opt/countersign/node_modules/@countersign/server/docs';
    expect((await image.run(['ls', docs])).out).toContain('index.html');
    const { out } = await image.run(['du', '--summarize', '--bytes', `--exclude=${docs}`, '/opt/countersign']);
    expect(Number(out.split('\t')[0])).toBeLessThan(100_000_000);
    const tools = await image.run([
      'sh',
      '-c',
      'for name in npm npx corepack yarn cc gcc make python3 git; do command -v $name; done',
    ]);
    expect(tools.out).toBe('');
    const unread = "find /opt/countersign -name '*.map' -o -name '*.ts' -o -name '.bin'";
    expect((await image.run(['sh', '-c', unread])).out).toBe('');
    const licences = "find /opt/countersign -iname 'licen*' | wc -l";
    expect(Number((await image.run(['sh', '-c', licences])).out)).toBeGreaterThan(50);
  });

  it.sequential('lets its user write to the data, and where everybody may', async () => {
    const writable = "find / -xdev -writable -not -path '/proc/*' 2>/dev/null | sort";
    const { out } = await image.run(['sh', '-c', writable]);
    expect(out.split('\n').filter((path) => !path.startsWith('/tmp/'))).toEqual(
      expect.arrayContaining(['/tmp', '/var/lib/countersign', '/var/tmp']),
    );
    expect(out).not.toMatch(/^\/(opt|usr|etc|bin|root|home)/m);
  });

  it.sequential('has a bill of materials, with every module, Node.js and the packages of Debian', async () => {
    const bill = readJson(await readFile(join(out, `${name}.cdx.json`), 'utf8')) as Bill;
    expect(bill.bomFormat).toBe('CycloneDX');
    const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
    const found = await modulesIn(join(image.folder, 'opt/countersign/node_modules'));
    expect(found.length).toBeGreaterThan(80);
    expect(found.filter((one) => !named.has(one))).toEqual([]);
    const { release } = pinnedNode('24', process.arch);
    expect(await image.run(['node', '--version'])).toEqual({ code: 0, out: `v${release}` });
    expect(named).toContain(`node@${release}`);
    const names = bill.components.map(({ purl }) => /^pkg:deb\/debian\/([^@]+)@/.exec(purl)?.[1]);
    expect(names).toEqual(expect.arrayContaining(['libc6', 'tini', 'apt']));
    // This release of Node.js needs no more of Debian.
    expect(names).not.toContain('libatomic1');
    expect((await image.run(['ldd', '/usr/local/bin/node'])).out).not.toContain('not found');
  });

  it.sequential('has in it what the package of PostgreSQL holds, in the versions of the files', async () => {
    const bill = readJson(await readFile(join(out, `${name}.cdx.json`), 'utf8')) as Bill;
    const below = (ref: string) => bill.dependencies.find((one) => one.ref === ref)?.dependsOn ?? [];
    const [postgres = ''] = below(`@countersign/postgres-linux-${process.arch}@${version}`);
    const modules = '/opt/countersign/node_modules/@countersign';
    const native = `${modules}/postgres-linux-${process.arch}/native`;
    const { out: told } = await image.run([`${native}/bin/postgres`, '--version']);
    expect(`postgres (PostgreSQL) ${postgres.split('@')[1]}`).toBe(told);
    const parts = below(postgres).map((ref) => bill.components.find(({ purl }) => purl === ref));
    expect(parts.map((one) => one?.name)).toEqual(expect.arrayContaining(['openssl', 'icu', 'libxml2', 'zlib', 'xz']));
    // PostgreSQL's own library apart, every one that is in the folder.
    const named = parts.flatMap((one) => one?.evidence?.occurrences.map(({ location }) => location));
    const { out: libraries } = await image.run(['sh', '-c', `ls ${native}/lib/*.so.*`]);
    expect(named.sort()).toEqual(libraries.split('\n').filter((path) => !path.includes('/libpq.so')));
  });

  it.sequential('serves on a read-only file system, keeps its data, and ends in time', {
    timeout: 300_000,
  }, async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/v2`;
    const volume = join(home, 'volume');
    mkdirSync(volume);
    chownSync(volume, 10_001, 10_001);
    const env = { PORT: String(port), WORKERS: '1', LOG_LEVEL: 'error' };
    const begin = async () => {
      const container = image.start(volume, env);
      await eventually(() => expect(container.said).toContain('listening on'));
      return container;
    };
    const [, ...health] = image.config.Healthcheck.Test;
    const isHealthy = async () => (await image.run(health, env)).code === 0;

    const first = await begin();
    expect(await isHealthy()).toBe(true);
    expect(first.processes()[0]).toEqual({ uid: 10_001, name: 'tini' });
    expect(new Set(first.processes().map(({ uid }) => uid))).toEqual(new Set([10_001]));
    const founder = new TestClient(url, newKey());
    expect((await founder.get('/')).body.data).toMatchObject({
      status: 'UP',
      build: expect.stringContaining(`${version}+`),
    });
    ok(await founder.create('/ledgers', { handle: 'acme', signer: 'system', access: OPEN }));
    const client = founder.in('acme');
    await stored(client, 'wallet', { handle: 'shop' });
    const before = (await client.get('/wallets/shop')).body;
    // It drains for some seconds. After 30, processes that have not ended by themselves are killed.
    const began = performance.now();
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(await isHealthy()).toBe(false);

    const second = await begin();
    expect((await client.get('/wallets/shop')).body.hash).toBe(before.hash);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(second.said).not.toMatch(/EROFS|read-only/i);
  });
}
