import type { Signer } from '@countersign/client';
import { useSyncExternalStore } from 'react';
import { findKey, type KeptKey, signerOf } from './kept-keys.js';

/** As whom a ledger is asked. */
export type Identity =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'key'; readonly name: string; readonly signer: Signer }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'client'; readonly clientId: string; readonly clientSecret: string };

export const NOBODY: Identity = { kind: 'nobody' };

/** Identities of this page, by server and ledger: none is ever sent to another one. They are kept in memory alone. */
const identities = new Map<string, Identity>();
const identityListeners = new Set<() => void>();

export function useIdentity(place: string): Identity {
  return useSyncExternalStore(listenToIdentity, () => identityAt(place));
}

export function identityAt(place: string): Identity {
  return identities.get(place) ?? NOBODY;
}

/** @param place the server and the ledger, as `placeName` writes them */
export function become(place: string, identity: Identity): void {
  identities.set(place, identity);
  if (identity.kind === 'key') localStorage.setItem(remembered(place), identity.signer.public);
  else localStorage.removeItem(remembered(place));
  for (const listener of identityListeners) listener();
}

/** Takes the key again that this browser keeps, and last used for the ledger. */
export async function resume(place: string): Promise<void> {
  const key = localStorage.getItem(remembered(place));
  if (key === null || identities.has(place)) return;
  const kept = await findKey(key);
  if (kept && !identities.has(place)) become(place, await identityOfKept(kept));
}

export async function identityOfKept(kept: KeptKey): Promise<Identity> {
  return { kind: 'key', name: kept.name, signer: await signerOf(kept) };
}

/** What tells one identity from another in the caches of answers. No secret is in it. */
export function identityName(identity: Identity): string {
  switch (identity.kind) {
    case 'key':
      return identity.signer.public;
    case 'client':
    case 'token':
      return `${identity.kind} ${numberOf(identity)}`;
    case 'nobody':
      return '';
  }
}

/** Identities with a secret are told apart by when they came: another secret is another identity. */
const numbers = new WeakMap<Identity, number>();
let lastNumber = 0;

function numberOf(identity: Identity): number {
  const number = numbers.get(identity) ?? ++lastNumber;
  numbers.set(identity, number);
  return number;
}

function remembered(place: string): string {
  return `countersign.identity ${place}`;
}

function listenToIdentity(listener: () => void): () => void {
  identityListeners.add(listener);
  return () => identityListeners.delete(listener);
}
