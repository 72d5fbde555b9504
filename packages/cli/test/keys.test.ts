import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { encodeBase64, portable } from '@countersign/protocol';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decrypt, encrypt } from '../src/home/encrypted-key.js';
import { Home } from '../src/home/home.js';
import { KeyStore } from '../src/home/key-store.js';
import { Cli, withFolder } from './support/cli.js';

const folder = withFolder();
let cli: Cli;
const password = 'pässword with spaces';
const ENV = { PATH: process.env.PATH, PASSWORD: password };

beforeAll(() => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: password });
});

const state = (...path: string[]) => join(folder.path, 'state', ...path);

describe('the key store', () => {
  it('keeps a key encrypted, in a file that only its owner may read', async () => {
    const { out } = await cli.done(['key', 'create', 'ada']);
    expect(out).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    expect(statSync(state('keys', 'ada.pem')).mode & 0o777).toBe(0o600);
    for (const path of [state(), state('keys')]) expect(statSync(path).mode & 0o777).toBe(0o700);
    const text = readFileSync(state('keys', 'ada.pem'), 'utf8');
    expect(text).toContain('-----BEGIN ENCRYPTED PRIVATE KEY-----');
    const secret = (await cli.done(['key', 'export', 'ada', '--secret', '--format', 'raw', '--yes'])).out.trim();
    expect(encodeBase64(portable.publicKey(Buffer.from(secret, 'base64')))).toBe(out.trim());
    for (const form of ['base64', 'base64url', 'hex'] as const) {
      expect(text).not.toContain(Buffer.from(secret, 'base64').toString(form));
    }
    // Nothing is left of how the file was made.
    expect(readdirSync(state('keys'))).toEqual(['ada.pem']);
  });

  it('is PKCS#8 as OpenSSL knows it, with scrypt and the work that is asked for', async () => {
    // The command as people have it: calls in the process of the tests ask for less work.
    const made = await cli.spawn(['key', 'create', 'process']);
    expect(made.code, made.err).toBe(0);
    const file = state('keys', 'process.pem');
    const parsed = execFileSync('openssl', ['asn1parse', '-in', file], { env: ENV }).toString();
    expect(parsed).toMatch(/OBJECT +:PBES2/);
    expect(parsed).toMatch(/OBJECT +:scrypt/);
    expect(parsed).toMatch(/OBJECT +:aes-256-cbc/);
    // N, r, p, and the bytes of the key.
    const numbers = [...parsed.matchAll(/INTEGER +:(\w+)/g)].map(([, hex]) => Number.parseInt(hex!, 16));
    expect(numbers).toEqual([2 ** 17, 8, 1, 32]);
    const shown = await cli.spawn(['key', 'export', 'process', '--secret', '--yes']);
    expect(createPublicKey(shown.out).export({ format: 'jwk' }).x).toBe(
      Buffer.from(made.out.trim(), 'base64').toString('base64url'),
    );
  });

  it('opens a file of before, which OpenSSL reads, and writes it anew with more work', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { x = '' } = privateKey.export({ format: 'jwk' });
    const text = encrypt(privateKey, password, { N: 2 ** 14, r: 8, p: 5 });
    const file = join(folder.path, 'renewed', 'keys', 'old.pem');
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    const publicKey = Buffer.from(x, 'base64url').toString('base64');
    const written = `name: old\npublic: ${publicKey}\n${text}`;
    writeFileSync(file, written, { mode: 0o600 });
    const read = execFileSync('openssl', ['pkey', '-in', file, '-passin', 'env:PASSWORD', '-text_pub', '-noout'], {
      env: ENV,
    });
    expect(read.toString()).toContain('ED25519 Public-Key');
    const home = new Home({ env: { COUNTERSIGN_HOME: join(folder.path, 'renewed') }, userHome: folder.path });
    const ask = async (check: (password: string) => string | undefined) => {
      expect(check('wrong')).toMatch(/^The password does not open the key (old|linked)\.$/);
      return password;
    };
    expect((await new KeyStore(home, { N: 2 ** 13, r: 8, p: 1 }).open('old', ask)).pair.public).toBe(publicKey);
    expect(readFileSync(file, 'utf8')).toBe(written);
    const store = new KeyStore(home, { N: 2 ** 15, r: 8, p: 1 });
    // Another command writes the file while the password is asked for; one elsewhere is not copied here.
    const changing = async (check: (password: string) => string | undefined) => {
      writeFileSync(file, `${written}changed`);
      return ask(check);
    };
    expect((await store.open('old', changing)).pair.public).toBe(publicKey);
    expect(readFileSync(file, 'utf8')).toBe(`${written}changed`);
    const elsewhere = join(folder.path, 'elsewhere.pem');
    writeFileSync(elsewhere, written, { mode: 0o600 });
    symlinkSync(elsewhere, join(file, '../linked.pem'));
    expect((await store.open('linked', ask)).pair.public).toBe(publicKey);
    expect([lstatSync(join(file, '../linked.pem')).isSymbolicLink(), readFileSync(elsewhere, 'utf8')]).toEqual([
      true,
      written,
    ]);
    writeFileSync(file, written);
    expect((await store.open('old', ask)).pair.public).toBe(publicKey);
    const renewed = readFileSync(file, 'utf8');
    expect(renewed.split('\n').slice(0, 2)).toEqual(written.split('\n').slice(0, 2));
    expect(renewed).not.toBe(written);
    expect((await store.open('old', ask)).pair.public).toBe(publicKey);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([renewed, 0o600]);
  });

  it('does not work for as long as an altered file asks for', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const text = encrypt(privateKey, password, { N: 2 ** 14, r: 8, p: 1 });
    const der = Buffer.from(text.replace(/-----.*-----/g, ''), 'base64');
    const numbers = Buffer.from('02024000020108020101', 'hex');
    der.set([127], der.indexOf(numbers) + numbers.length - 1);
    const label = 'ENCRYPTED PRIVATE KEY';
    const altered = `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
    const before = process.cpuUsage();
    expect(() => decrypt(altered, password)).toThrow('The password does not open this key.');
    // Otherwise it takes some ten seconds.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it('opens what it has encrypted, whatever the password, and nothing with another', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const plain = privateKey.export({ format: 'der', type: 'pkcs8' });
    const text = fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' });
    // The file says the work: what was asked for once is opened, whatever is asked for now.
    const work = fc.record({
      N: fc.constantFrom(2, 16, 2 ** 10),
      r: fc.integer({ min: 1, max: 8 }),
      p: fc.constantFrom(1, 5),
    });
    fc.assert(
      fc.property(text, text, work, (right, wrong, work) => {
        const pem = encrypt(privateKey, right, work);
        expect(decrypt(pem, right).export({ format: 'der', type: 'pkcs8' }).equals(plain)).toBe(true);
        if (right !== wrong) expect(() => decrypt(pem, wrong)).toThrow('The password does not open this key.');
      }),
      { numRuns: 50 },
    );
  });

  it('never overwrites a key, and takes no name that leads elsewhere', async () => {
    const before = readFileSync(state('keys', 'ada.pem'), 'utf8');
    for (const command of ['create', 'import']) {
      const outcome = await cli.call(['key', command, 'ada', ...(command === 'import' ? ['--file', '-'] : [])]);
      expect([outcome.code, outcome.err]).toEqual([4, "✗ There is a key 'ada' already.\n  Try: choose another name\n"]);
    }
    expect(readFileSync(state('keys', 'ada.pem'), 'utf8')).toBe(before);
    for (const name of ['../ada', 'a/b', '', '.', '.hidden', 'a\nb', 'x'.repeat(101)]) {
      expect((await cli.call(['key', 'create', name])).code, name).toBe(4);
    }
    const both = await Promise.all([cli.call(['key', 'create', 'raced']), cli.call(['key', 'create', 'raced'])]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 4]);
  });

  it('takes keys in every form, and writes them in the clear only when that is confirmed', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk = privateKey.export({ format: 'jwk' });
    const seed = Buffer.from(jwk.d as string, 'base64url');
    const publicKey = Buffer.from(jwk.x as string, 'base64url').toString('base64');
    const forms = {
      pem: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
      jwk: JSON.stringify(jwk),
      hex: `${seed.toString('hex')}\n`,
      base64: seed.toString('base64'),
      encrypted: privateKey.export({
        format: 'pem',
        type: 'pkcs8',
        cipher: 'aes-256-cbc',
        passphrase: 'other',
      }) as string,
    };
    for (const [form, text] of Object.entries(forms)) {
      const file = join(folder.path, `${form}.txt`);
      writeFileSync(file, text);
      const env = { COUNTERSIGN_SOURCE_PASSWORD: 'other' };
      expect((await cli.done(['key', 'import', form, '--file', file], { env })).out, form).toBe(`${publicKey}\n`);
    }
    expect((await cli.call(['key', 'export', 'pem', '--secret'])).code).toBe(2);
    const clear = await cli.done(['key', 'export', 'pem', '--secret', '--yes']);
    expect(clear.out).toBe(forms.pem);
    expect(JSON.parse((await cli.done(['key', 'export', 'pem', '--secret', '--format', 'jwk', '--yes'])).out)).toEqual(
      jwk,
    );
    expect((await cli.done(['key', 'export', 'pem', '--public'])).out).toBe(`${publicKey}\n`);
    const encrypted = (await cli.done(['key', 'export', 'pem'])).out;
    expect(createPrivateKey({ key: encrypted, passphrase: password }).export({ format: 'jwk' })).toEqual(jwk);
  });

  it.each([
    ['nothing', ''],
    ['other text', 'hello'],
    [
      'an RSA key',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
    ],
    ['a public key', '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}'],
    ['a seed that is too short', Buffer.alloc(31).toString('hex')],
  ])('refuses %s as a key', async (_, text) => {
    expect((await cli.call(['key', 'import', 'never', '--file', '-'], { input: String(text) })).code).toBe(4);
    expect(existsSync(state('keys', 'never.pem'))).toBe(false);
  });

  it('refuses a JWK whose two keys do not belong together', async () => {
    const [one, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
    const { x } = other.publicKey.export({ format: 'jwk' });
    const input = JSON.stringify({ ...one.privateKey.export({ format: 'jwk' }), x });
    expect((await cli.call(['key', 'import', 'never', '--file', '-'], { input })).code).toBe(4);
  });

  it('tells when a file may be read by others, was altered, or the password is wrong', async () => {
    await cli.done(['key', 'create', 'bad']);
    const file = state('keys', 'bad.pem');
    const show = () => cli.call(['key', 'export', 'bad', '--secret', '--yes']);
    expect(
      (await cli.call(['key', 'export', 'bad', '--secret', '--yes'], { env: { COUNTERSIGN_PASSWORD: 'x' } })).code,
    ).toBe(4);
    chmodSync(file, 0o640);
    const open = await show();
    expect([open.code, open.err.split('\n')[0]]).toEqual([4, `✗ Others may read or change ${file}.`]);
    chmodSync(file, 0o600);
    const ada = (await cli.done(['key', 'export', 'ada', '--public'])).out.trim();
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^public: .*$/m, `public: ${ada}`));
    const altered = await show();
    expect([altered.code, altered.err.split('\n')[0]]).toEqual([
      4,
      "✗ The file of key 'bad' was altered: it holds another key than it says.",
    ]);
  });

  it('reads a password from a file that nobody else may read', async () => {
    const home = join(folder.path, 'by-file');
    const file = join(folder.path, 'password');
    const bare = new Cli(home, { COUNTERSIGN_PASSWORD_FILE: file });
    const away = await bare.call(['key', 'create', 'filed']);
    expect([away.code, away.err]).toEqual([4, `✗ ${file} cannot be read: ENOENT.\n`]);
    writeFileSync(file, 'from a file\nmore\n', { mode: 0o600 });
    await bare.done(['key', 'create', 'filed']);
    const shown = ['key', 'export', 'filed', '--secret', '--yes'];
    expect((await bare.call(shown)).code).toBe(0);
    expect((await new Cli(home, { COUNTERSIGN_PASSWORD: 'from a file' }).call(shown)).code).toBe(0);
    chmodSync(file, 0o644);
    const open = await bare.call(shown);
    expect([open.code, open.err]).toEqual([4, expect.stringContaining(`Others may read or change ${file}.`)]);
    chmodSync(file, 0o600);
    writeFileSync(file, '\n');
    expect((await bare.call(shown)).code).toBe(2);
  });

  it('reads a password from standard input, and needs one', async () => {
    const bare = new Cli(folder.path);
    const made = await bare.done(['key', 'create', 'piped', '--password-stdin'], { input: 'from a pipe\nmore\n' });
    expect(made.code).toBe(0);
    const env = { COUNTERSIGN_PASSWORD: 'from a pipe' };
    expect((await bare.call(['key', 'export', 'piped', '--secret', '--yes'], { env })).code).toBe(0);
    const without = await bare.call(['key', 'create', 'other']);
    expect([without.code, without.err]).toEqual([
      2,
      '✗ A password is needed.\n  Try: set COUNTERSIGN_PASSWORD or COUNTERSIGN_PASSWORD_FILE, or give --password-stdin\n',
    ]);
  });
});
