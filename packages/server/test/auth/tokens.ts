import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { encodeBase64, type Json, type JsonObject } from '@countersign/protocol';
import { native } from '../../src/auth/native-suite.js';
import type { BoundRequest } from '../../src/auth/request-hash.js';
import { type KeySource, type Token, verifyToken } from '../../src/auth/token.js';
import type { Replays } from '../../src/store/queries/replays.js';
import { MemoryReplays } from './memory-replays.js';

/** Seconds: the moment all tests happen at. */
export const NOW = 1_767_225_600;

export const seed = new Uint8Array(32).fill(7);
export const publicKey = encodeBase64(native.publicKey(seed));
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const rsaPublic = spki(rsa.publicKey);

/** The base64 a key-pair factor holds. */
export function spki(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

/** Claims as the client tools make them, with changes; undefined leaves a claim out. */
export function claims(changes: Record<string, Json | undefined> = {}): JsonObject {
  const all = { iat: NOW, exp: NOW + 3600, iss: 'cli', aud: 'acme', sub: 'signer:admin', ...changes };
  return JSON.parse(JSON.stringify(all)) as JsonObject;
}

/** Text and bytes are taken as they are. */
export function encode(part: Json | Buffer): string {
  const bytes = Buffer.isBuffer(part) ? part : Buffer.from(typeof part === 'string' ? part : JSON.stringify(part));
  return bytes.toString('base64url');
}

/** A token with these parts, given as JSON, text or bytes, signed properly whatever they say. */
export function selfSigned(
  payload: JsonObject | string | Buffer = claims(),
  header: JsonObject | string = { alg: 'EdDSA', kid: publicKey },
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${Buffer.from(native.sign(Buffer.from(signed), seed)).toString('base64url')}`;
}

export function provided(
  payload: JsonObject | string = claims({ iss: 'idp' }),
  header: JsonObject | string = { alg: 'RS256', kid: 'idp-key' },
  key: KeyObject = rsa.privateKey,
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

export function hmac(header: JsonObject, payload: JsonObject, secret: Buffer | string): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

export const request: BoundRequest = {
  method: 'GET',
  url: 'https://ledger.example/v2/wallets?data.handle=w1',
  headers: { 'x-ledger': 'acme' },
  body: undefined,
};

/** Keys of a ledger that knows signer `admin` and factor `idp-key` of signer `idp`, and what was asked of it. */
export class Keys implements KeySource {
  readonly asked: string[] = [];

  constructor(
    readonly ledger = 'acme',
    readonly signers: Record<string, string> = { admin: publicKey },
    readonly factors: Record<string, { public: string; signer: string }> = {
      'idp-key': { public: rsaPublic, signer: 'idp' },
    },
  ) {}

  async signerKey(handle: string): Promise<string | undefined> {
    this.asked.push(`signer ${handle}`);
    return Object.hasOwn(this.signers, handle) ? this.signers[handle] : undefined;
  }

  async factor(handle: string): Promise<{ public: string; signer: string } | undefined> {
    this.asked.push(`factor ${handle}`);
    return Object.hasOwn(this.factors, handle) ? this.factors[handle] : undefined;
  }
}

export interface Circumstances {
  request?: BoundRequest;
  keys?: KeySource;
  /** Milliseconds. */
  now?: number;
  replays?: Replays;
}

/** Verifies `token` as a bearer token, where nothing else is said at `NOW` in a fresh process. */
export function verify(token: string, where: Circumstances = {}): Promise<Token> {
  const clock = () => where.now ?? NOW * 1000;
  const replays = where.replays ?? new MemoryReplays(clock, { ledger: 100 });
  return verifyToken(`Bearer ${token}`, where.request ?? request, where.keys ?? new Keys(), clock, replays);
}

/** What the error of a refused token must hold, whatever the cause. */
export const REFUSED = { name: 'LedgerError', reason: 'auth.unauthorized', detail: 'Invalid token.', status: 401 };
