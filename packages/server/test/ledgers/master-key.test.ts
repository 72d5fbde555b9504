import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arbitraryText } from '../../../protocol/test/support/arbitrary-text.js';
import { keyCheck, loadMasterKey, makeMasterKey } from '../../src/keys/master-key.js';
import { openSealed, seal } from '../../src/keys/seal.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'countersign-key-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const file = () => join(dataDir, 'master.key');

describe('the master key', () => {
  it('is MASTER_KEY when given, and then no file is made', async () => {
    const key = randomBytes(32);
    expect(await loadMasterKey({ masterKey: key.toString('base64'), dataDir })).toEqual(key);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it.each([
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
    ['spaces around', ` ${randomBytes(32).toString('base64')} `],
    ['nothing', ''],
  ])('is refused as MASTER_KEY when it is %s, and not shown', async (_, masterKey) => {
    const error = await loadMasterKey({ masterKey, dataDir }).catch((thrown: Error) => thrown);
    expect((error as Error).message).toBe(
      'MASTER_KEY must be 32 bytes in base64, such as `openssl rand -base64 32` prints',
    );
  });

  it('is made once, in a file for its owner only', async () => {
    const deep = join(dataDir, 'a', 'b');
    expect(await loadMasterKey({ dataDir: deep })).toBeUndefined();
    const keys = await Promise.all([makeMasterKey({ dataDir: deep }), makeMasterKey({ dataDir: deep })]);
    expect(keys[0]).toHaveLength(32);
    expect(keys[1]).toEqual(keys[0]);
    expect(await loadMasterKey({ dataDir: deep })).toEqual(keys[0]);
    expect(await readdir(deep)).toEqual(['master.key']);
    if (process.platform !== 'win32') expect((await stat(join(deep, 'master.key'))).mode & 0o777).toBe(0o600);
  });

  it('is refused when its file is not a key, and the file is left as it is', async () => {
    await writeFile(file(), 'oops\n', { mode: 0o600 });
    await expect(loadMasterKey({ dataDir })).rejects.toThrow(`${file()} must be 32 bytes in base64`);
    expect(await readFile(file(), 'utf8')).toBe('oops\n');
  });

  it.skipIf(process.platform === 'win32').each(['640', '604', '620', '602'])(
    'is refused when others have access to its file (mode %s)',
    async (mode) => {
      await makeMasterKey({ dataDir });
      await chmod(file(), Number.parseInt(mode, 8));
      await expect(loadMasterKey({ dataDir })).rejects.toThrow('run chmod 600 on it');
      await chmod(file(), 0o400);
      await loadMasterKey({ dataDir });
    },
  );

  it('has a check value that is the same for the same key only', () => {
    const key = randomBytes(32);
    const other = Buffer.from(key);
    other[31]! ^= 1;
    expect(keyCheck(key)).toMatch(/^[0-9a-f]{64}$/);
    expect(keyCheck(Buffer.from(key))).toBe(keyCheck(key));
    expect(keyCheck(other)).not.toBe(keyCheck(key));
    // Fixed: databases keep it.
    expect(keyCheck(Buffer.alloc(32))).toBe('8892914d66a21a39c77738b11d11b0947248d0ab8e2f728773c14689ac116c17');
  });
});

describe('a sealed value', () => {
  const key = randomBytes(32);

  it('opens to what was sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), arbitraryText(), (plaintext, context) => {
        const sealed = seal(key, Buffer.from(plaintext), context);
        expect(sealed).toHaveLength(plaintext.length + 29);
        expect(openSealed(key, sealed, context)).toEqual(Buffer.from(plaintext));
      }),
    );
  });

  it('is another one each time', () => {
    const sealed = Array.from({ length: 50 }, () => seal(key, Buffer.from('secret'), 'a').toString('hex'));
    expect(new Set(sealed).size).toBe(50);
  });

  it('does not open under another key or context, cut short, or with any bit changed', () => {
    const sealed = seal(key, Buffer.from('secret'), 'ledger/record/name');
    expect(() => openSealed(randomBytes(32), sealed, 'ledger/record/name')).toThrow('does not open');
    expect(() => openSealed(key, sealed, 'other/record/name')).toThrow('does not open');
    for (let length = 0; length < sealed.length; length++) {
      expect(() => openSealed(key, sealed.subarray(0, length), 'ledger/record/name')).toThrow();
    }
    expect(() => openSealed(key, Buffer.concat([sealed, Buffer.of(0)]), 'ledger/record/name')).toThrow();
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => openSealed(key, altered, 'ledger/record/name')).toThrow();
    }
    expect(openSealed(key, sealed, 'ledger/record/name').toString()).toBe('secret');
  });
});
