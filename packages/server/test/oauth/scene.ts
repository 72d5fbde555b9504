import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { newKey, newLedger, OPEN, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';

/** RSA key pairs take long to make: the tests of a file share these. */
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });

export function spki(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

export function pkcs8(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }) as string;
}

/** A provider's factor, with its private key in the ledger unless `secret` says otherwise; null for none. */
export function providerFactor(
  client: TestClient,
  changes: JsonObject = {},
  secret: JsonObject | null = { private: pkcs8(rsa.privateKey) },
): Promise<RecordEnvelope> {
  const data = {
    handle: 'prov-rsa',
    signer: 'prov',
    schema: 'key-pair',
    format: 'rsa-der',
    public: spki(rsa.publicKey),
    ...(secret ? { secret: '{{ secret.private }}' } : {}),
    ...changes,
  };
  return stored(client, 'signer-factor', data, secret ?? undefined);
}

export function signer(client: TestClient, handle: string, more: JsonObject = {}): Promise<RecordEnvelope> {
  return stored(client, 'signer', { handle, public: newKey().public, format: 'ed25519-raw', ...more });
}

export function policy(client: TestClient, value: JsonObject = {}, handle = 'oauth'): Promise<RecordEnvelope> {
  const values = [{ schema: 'oauth2', signer: { handle: 'prov' }, ...value }];
  return stored(client, 'policy', { handle, schema: 'authentication', record: 'any', values });
}

/** Credentials that the ledger made for a signer, and the record of the factor. */
export interface Credentials {
  readonly id: string;
  readonly secret: string;
  readonly factor: RecordEnvelope;
}

/** Makes an oauth-client-credentials factor; its maker sees the secret. */
export async function credentialsFor(
  client: TestClient,
  handle: string,
  factor = `${handle}-oauth`,
): Promise<Credentials> {
  const body = signed({ handle: factor, signer: handle, schema: 'oauth-client-credentials' }, client.key);
  const answer = ok(await client.call('POST', `/signers/${handle}/factors?include=meta.secret`, body));
  const { meta, ...record } = answer.body;
  const { secret, ...others } = meta;
  return { id: record.data.clientId, secret: secret.clientSecret, factor: { ...record, meta: others } };
}

/** A ledger where signer `prov` vouches for signers, and signer `app` has credentials. */
export interface OauthLedger {
  readonly client: TestClient;
  readonly credentials: Credentials;
}

export async function oauthLedger(url: string, access: JsonObject[] = OPEN as JsonObject[]): Promise<OauthLedger> {
  const client = await newLedger(url, { access });
  await signer(client, 'prov');
  await providerFactor(client);
  await signer(client, 'app', { custom: { tier: 'gold' } });
  await policy(client, { config: { 'jwt.ttl': 600 } });
  return { client, credentials: await credentialsFor(client, 'app') };
}

/** Asks for a token with a form. */
export async function ask(
  client: TestClient,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const text = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return client.call('POST', '/oauth/token', text, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
}

export function grant({ id, secret }: { id: string; secret: string }): Record<string, string> {
  return { grant_type: 'client_credentials', client_id: id, client_secret: secret };
}

export function basic(id: string, secret: string): Record<string, string> {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The header with a token of the token endpoint. */
export async function tokenOf(client: TestClient, credentials: Credentials): Promise<Record<string, string>> {
  return bearing(ok(await ask(client, grant(credentials))).body.access_token);
}

export function bearing(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** A token a provider outside signed, with claims as changed; undefined leaves one out. */
export function provided(
  changes: JsonObject = {},
  header: JsonObject = {},
  key: KeyObject = rsa.privateKey,
): Record<string, string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'prov', sub: 'app', aud: 'test', iat: now, exp: now + 300, ...changes };
  const text = [{ alg: 'RS256', kid: 'prov-rsa', ...header }, claims].map(encoded).join('.');
  return bearing(`${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`);
}

export function encoded(part: JsonObject): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** Header and claims of a token, with their members in order. */
export function partsOf(token: string): JsonObject[] {
  return token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
}
