import { fromCryptoKey, type Signer } from '@countersign/client';
import { encodeBase64 } from '@countersign/protocol';
import { now } from '../ui/clock.js';

/** A key pair in this browser's database. Its private half cannot be read, not even by this page: it only signs. */
export interface KeptKey {
  readonly public: string;
  readonly name: string;
  readonly made: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

const STORE = 'keys';
const ALGORITHM = 'Ed25519';

const listeners = new Set<() => void>();

/** Makes a key pair and keeps it. @throws where the browser lacks Ed25519 */
export async function makeKey(name: string): Promise<KeptKey> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify'])) as CryptoKeyPair;
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  return keep({ name, public: encodeBase64(raw), privateKey: pair.privateKey, publicKey: pair.publicKey });
}

/** Keeps a key pair that came from a file. @param pkcs8 of the private half */
export async function keepKey(name: string, pkcs8: Uint8Array<ArrayBuffer>, publicKey: Uint8Array): Promise<KeptKey> {
  const raw = publicKey as Uint8Array<ArrayBuffer>;
  return keep({
    name,
    public: encodeBase64(raw),
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await crypto.subtle.importKey('raw', raw, ALGORITHM, true, ['verify']),
  });
}

export function signerOf({ privateKey, publicKey }: KeptKey): Promise<Signer> {
  return fromCryptoKey({ privateKey, publicKey });
}

/** The keys of this browser; none where it has no database, as in some private windows. */
export async function listKeys(): Promise<KeptKey[]> {
  try {
    return await ask<KeptKey[]>('readonly', (keys) => keys.getAll());
  } catch {
    return [];
  }
}

export async function findKey(publicKey: string): Promise<KeptKey | undefined> {
  return (await listKeys()).find((key) => key.public === publicKey);
}

export async function forgetKey(publicKey: string): Promise<void> {
  await ask('readwrite', (keys) => keys.delete(publicKey));
  tellChange();
}

/** Calls `listen` when this page has kept or forgotten a key. @returns ends that */
export function whenKeysChange(listen: () => void): () => void {
  listeners.add(listen);
  return () => void listeners.delete(listen);
}

function tellChange(): void {
  for (const listen of listeners) listen();
}

async function keep(key: Omit<KeptKey, 'made'>): Promise<KeptKey> {
  const kept = { ...key, made: new Date(now()).toISOString() };
  await ask('readwrite', (keys) => keys.put(kept));
  tellChange();
  return kept;
}

async function ask<Answer>(
  mode: IDBTransactionMode,
  request: (keys: IDBObjectStore) => IDBRequest<Answer>,
): Promise<Answer> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('countersign', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'public' });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const asked = request(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(asked.result);
      transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}
