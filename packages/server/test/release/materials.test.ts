import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../support/documents.js';

const { verifyTarball } = await import(join(root, 'scripts/pack/tarball.mjs'));
const { packagesFor, pinnedNode } = await import(join(root, 'scripts/image/node.mjs'));
const { contentsOf } = await import(join(root, 'scripts/image/contents.mjs'));

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-materials-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** Writes a file below the folder. @returns its path */
function write(path: string, text: string): string {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text, 'latin1');
  return join(home, path);
}

describe('what is taken from npm', () => {
  it('is what its digest says, or is refused by name', () => {
    const file = write('node.tgz', 'the package');
    const integrity = `sha512-${createHash('sha512').update('the package').digest('base64')}`;
    expect(() => verifyTarball(file, integrity, 'node@24.21.0')).not.toThrow();
    write('node.tgz', 'the package!');
    expect(() => verifyTarball(file, integrity, 'node@24.21.0')).toThrow(
      /^node@24\.21\.0 is not what is kept of it: its digest is sha512-\S+, not sha512-\S+$/,
    );
  });
});

describe.each(['x64', 'arm64'])('the Node.js of a base that is made here for %s', (cpu) => {
  it('is one release, with its digest', () => {
    const { release, name, integrity } = pinnedNode('24', cpu);
    expect([release, name]).toEqual([expect.stringMatching(/^24\.\d+\.\d+$/), `node-linux-${cpu}`]);
    expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64);
    expect(pinnedNode(release, cpu).integrity).toBe(integrity);
    expect(pinnedNode('26', cpu).integrity).not.toBe(integrity);
  });

  it.each(['24.0.0', '2', '99'])('is not %s, whose digest is not kept', (wanted) => {
    expect(() => pinnedNode(wanted, cpu)).toThrow(
      `scripts/image/node.json has no digest of Node.js ${wanted} for ${cpu}`,
    );
  });
});

describe('the base of the image', () => {
  it('has the libraries that Node.js loads and Debian lacks', () => {
    expect(packagesFor(write('node', '\x7fELF\0libc.so.6\0libatomic.so.1\0'))).toEqual(['libatomic1']);
    expect(packagesFor(write('node', '\x7fELF\0libc.so.6\0no libatomic.so.1 here\0'))).toEqual([]);
  });
});

describe('what the package of PostgreSQL holds', () => {
  const made = () => contentsOf(join(home, 'native'), '/native');
  beforeEach(() => {
    write('native/bin/postgres', '\x7fELF\0postgres (PostgreSQL) 18.4\n\0');
    write('native/lib/libpq.so.5', '');
    write('native/lib/libcrypto.so.1.1', '\0OpenSSL 1.1.1w  11 Sep 2023\0');
    write('native/lib/libssl.so.1.1', '\0OpenSSL 1.1.1w  11 Sep 2023\0');
    write('native/lib/libxml2.so.2', '\xff20904\0LIBXML2_2.9.1\0');
  });

  it('is told by name, with the versions that stand in the files', () => {
    const { postgres, libraries } = made();
    expect(postgres).toMatchObject({ name: 'postgresql', version: '18.4' });
    expect(libraries).toMatchObject([
      {
        purl: 'pkg:generic/openssl@1.1.1w',
        cpe: 'cpe:2.3:a:openssl:openssl:1.1.1w:*:*:*:*:*:*:*',
        evidence: {
          occurrences: [{ location: '/native/lib/libcrypto.so.1.1' }, { location: '/native/lib/libssl.so.1.1' }],
        },
      },
      { purl: 'pkg:generic/libxml2@2.9.4' },
    ]);
  });

  it.each([
    ['is of no known project', 'libcurl.so.4', '7.81', 'names no project for /native/lib/libcurl.so.4'],
    ['tells no version', 'libz.so.1', 'deflate', 'libz.so.1 in /native/lib: the version of zlib is not found'],
    [
      'is of another version than its own',
      'libssl.so.1.1',
      'OpenSSL 3.0.1 1 Jan 2022',
      'openssl is of several versions',
    ],
  ])('is no bill of materials where a library %s', (_, name, text, why) => {
    write(`native/lib/${name}`, text);
    expect(made).toThrow(why);
  });
});
