import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** What gives OpenSSL a key or certificate to read. */
const CALLS =
  /\b(createPrivateKey|createPublicKey|X509Certificate|createSecureContext|importKey|createSign|createVerify)\b/;

/** Where that is done: with keys and certificates that were judged, and those of operators. */
const ROOMS = [/^untrusted-keys\//, /^outbound\/tls\.ts$/];

it('OpenSSL is given keys and certificates by the room that judges them alone', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const calling = files.filter((path) => CALLS.test(readFileSync(join(source, path), 'utf8')));
  const others = calling.filter((path) => !ROOMS.some((room) => room.test(relative('.', path).replaceAll('\\', '/'))));
  expect(files.length).toBeGreaterThan(300);
  expect(calling.length).toBeGreaterThan(2);
  expect(others).toEqual([]);
});
