import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { bundle } from './support/bundle.js';

const server = withServer();
const folder = fileURLToPath(new URL('..', import.meta.url));
const MOST = 15 * 1024;

it('is 15 KiB at most, compressed, with all that it needs', async () => {
  const code = await bundle("export * from '../../src/index.js';");
  expect(code).not.toMatch(/(?:from|import\()\s*["'`]/);
  expect(code).toContain('ed25519-v2');
  const size = gzipSync(code, { level: 9 }).length;
  console.log(`the client: ${code.length} bytes, ${size} of ${MOST} compressed`);
  expect(size).toBeLessThanOrEqual(MOST);
});

it('leaves out what is not used', async () => {
  const whole = await bundle("export * from '../../src/index.js';");
  const keys = await bundle("export { fromSeed } from '../../src/index.js';");
  expect(keys.length).toBeLessThan(whole.length / 2);
});

it('has what is used, its types and nothing else', { timeout: 120_000 }, async () => {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command = '', ...args] = [...npm, 'pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder });
  const [{ files }] = JSON.parse(stdout);
  const paths: string[] = files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'package.json', 'dist/index.js', 'dist/index.d.ts']));
  const others = paths.filter((path) => !/^dist\/((generated|explain)\/)?[a-z0-9-]+\.(js|d\.ts)$/.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

it('comes with the licence, as all packages do', async () => {
  const packages = join(folder, '..');
  const licence = await readFile(join(packages, '../LICENSE'), 'utf8');
  for (const name of await readdir(packages)) {
    expect(await readFile(join(packages, name, 'LICENSE'), 'utf8').catch(() => name), name).toBe(licence);
  }
});

const PROGRAM = `
import { type AnyRefusal, connect, fromPem, isRefusal } from '@countersign/client';
import { DESCRIPTION } from '@countersign/client/description';

const ledger = connect({ server: '', ledger: 'a', signer: fromPem('') });
export const bridge: Promise<string | undefined> = ledger.wallets.get('a').then(({ data }) => data.bridge);
export const kinds: string[] = DESCRIPTION.map(({ record }) => record);
// @ts-expect-error circles cannot be dropped
ledger.circles.drop('a');
// @ts-expect-error wallets have no claims
ledger.wallets.create({ handle: 'a', claims: [] });
// @ts-expect-error nor a filter for them
ledger.wallets.list({ filter: { 'data.claims.amount': 1 } });
ledger.intents.list({ filter: { 'data.claims.amount': { $gt: 5 }, 'data.custom.x': 'y' } });
// @ts-expect-error no such operator
ledger.wallets.list({ filter: { 'data.handle': { $like: 'a' } } });
export function told(error: unknown): string {
  if (!isRefusal(error)) return '';
  const refusal: AnyRefusal = error;
  switch (refusal.reason) {
    case 'record.duplicated':
      return refusal.detail;
    // @ts-expect-error no such reason
    case 'record.lost':
      return '';
    default:
      return refusal.toTry;
  }
}
`;

it.each([
  ['Node.js', 'es2023', 'node'],
  ['browsers', 'es2023,dom', ''],
])('has exact types in programs for %s', { timeout: 120_000 }, async (_, lib, types) => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-types-'));
  try {
    await symlink(join(folder, '../../node_modules'), join(home, 'node_modules'));
    await writeFile(join(home, 'package.json'), '{"type":"module"}');
    await writeFile(join(home, 'program.ts'), PROGRAM);
    const options = `--strict --noEmit --target es2022 --module nodenext --lib ${lib}`.split(' ');
    const compiler = join(folder, '../../node_modules/typescript/bin/tsc');
    // Declarations of the client are checked as well: nothing is skipped.
    const args = [compiler, ...options, '--types', types, join(home, 'program.ts')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: home }).catch((failed) => failed);
    expect(stdout).toBe('');
  } finally {
    await rm(home, { recursive: true });
  }
});

/** The examples of the README, in their order. */
async function examples(): Promise<string[]> {
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code as string);
}

it('does what its README shows', { timeout: 120_000 }, async () => {
  const [first = '', ...others] = await examples();
  expect(others.length).toBeGreaterThan(3);
  const home = await mkdtemp(join(tmpdir(), 'countersign-readme-'));
  try {
    await symlink(join(folder, '../../node_modules'), join(home, 'node_modules'));
    // One program: each example goes on where the one before ended.
    const imports = new Set([first, ...others].flatMap((code) => code.match(/^import .*$/gm) ?? []));
    const parts = [first, ...others.map((code) => `{\n${code}}`)].map((code) => code.replace(/^import .*$/gm, ''));
    await writeFile(
      join(home, 'readme.mjs'),
      `${[...imports].join('\n')}\n${parts.join('\n')}\nconsole.log('done');\n`,
    );
    const env = { ...process.env, SERVER: server.current.url };
    const program = spawn(process.execPath, [join(home, 'readme.mjs')], { env, cwd: home });
    const [out, err] = await Promise.all([text(program.stdout), text(program.stderr)]);
    expect(err).toBe('');
    expect(out).toMatch(/^\$wlt\.\S{17} shop$/m);
    expect(out).toMatch(/^done$/m);
  } finally {
    await rm(home, { recursive: true });
  }
});
