import { randomBytes } from 'node:crypto';
import { LedgerSdk, type SdkOptions } from '@minka/ledger-sdk';
import { createHash, createKeyPair } from '@minka/ledger-sdk/crypto/src/index.js';
import type { LedgerKeyPair, LedgerMeta, LedgerRecord, LedgerSignature } from '@minka/ledger-sdk/types/src/index.js';
import { expect } from 'vitest';
import { OPEN } from '../support/client.js';

export type KeyPair = LedgerKeyPair;

/** A ledger as a user of the public client has it. */
export interface SdkLedger {
  readonly handle: string;
  readonly owner: KeyPair;
  /** The public key of the ledger's `system` signer. */
  readonly system: string;
  /** Verifies the ledger's proof on every answer, errors and lists included, and throws where it is missing or wrong. */
  readonly sdk: LedgerSdk;
  /** Another client of the same ledger, which verifies as well. */
  client(options?: Partial<SdkOptions>): LedgerSdk;
}

/** A new ledger made by the public client, open to everyone unless rules are given. */
export async function sdkLedger(server: string, access: readonly object[] = OPEN as object[]): Promise<SdkLedger> {
  const owner = await createKeyPair();
  const handle = `sdk-${randomBytes(6).toString('hex')}`;
  const outside = new LedgerSdk({ server });
  await outside.ledger
    .init({ data: { handle, signer: 'system', access: access as never } })
    .hash()
    .sign([{ keyPair: owner, custom: { status: 'created' } }])
    .send();
  const secure = bearerOf(owner, handle);
  const { signer } = await new LedgerSdk({ server, ledger: handle, secure }).signer.read('system');
  const verified = { format: 'ed25519-raw' as const, public: signer.public };
  const client = (options: Partial<SdkOptions> = {}) =>
    new LedgerSdk({ server, ledger: handle, signer: verified, verifyResponseProofs: true, ...options });
  return { handle, owner, system: signer.public, sdk: client(), client };
}

/** What makes the client send a token of its own with each request, signed with the key and bound to the request. */
export function bearerOf(keyPair: KeyPair, ledger: string): NonNullable<SdkOptions['secure']> {
  return { iss: 'test', sub: 'test', aud: ledger, exp: 60, keyPair };
}

/** A record with the members that the client's types leave out. */
export type Served<Data extends object, M extends LedgerMeta = LedgerMeta> = LedgerRecord<Data, M> & {
  readonly luid: string;
  readonly meta: M & { readonly proofs: LedgerSignature[]; readonly owners: readonly string[] };
};

/** The answer of the client as it came from the server. */
export function answered<Data extends object, M extends LedgerMeta>(response: {
  response: { data: LedgerRecord<Data, M> };
}): Served<Data, M> {
  return response.response.data as Served<Data, M>;
}

/** That the hash is over the data, which the client's own verification takes for granted. */
export function expectHashOf(record: { hash: string; data: unknown }): void {
  expect(createHash(record.data)).toBe(record.hash);
}
