import type { JsonObject } from '@countersign/protocol';
import { native } from '../../src/auth/native-suite.js';
import type { TestKey } from './client.js';

/** The header of a request whose bearer is `key`: a token it signed itself, good for five minutes. */
export function bearer(key: TestKey, claims: JsonObject = {}): Record<string, string> {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iat: now, exp: now + 300, iss: 'test', aud: 'test', sub: 'signer:test', ...claims };
  const signed = [{ alg: 'EdDSA', kid: key.public }, payload].map(encode).join('.');
  const signature = native.sign(Buffer.from(signed), key.secret);
  return { authorization: `Bearer ${signed}.${Buffer.from(signature).toString('base64url')}` };
}

function encode(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
