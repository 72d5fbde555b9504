import { encodeBase64, type Suite } from '@countersign/protocol';
import type pg from 'pg';
import type { Keyring } from '../keys/keyring.js';
import { sealContext } from '../keys/seal.js';
import { ImportRefused } from './refusals.js';

/** Bytes of a private key. */
const PRIVATE_KEY_BYTES = 32;

interface KeyRow {
  readonly handle: string;
  readonly luid: string;
  readonly public: string;
  readonly name: string | null;
  /** Null where there is none. */
  readonly sealed: Buffer | null;
}

const KEY_ROWS = `select r.handle, r.luid, r.link as public, s.name, s.sealed
  from record r left join secret s using (ledger_id, luid)
  where r.ledger_id = $1 and r.kind = 'signer' and r.handle in ('system', 'system.auth', 'core') order by r.seq`;

/** What the keys of an imported ledger are read with. */
interface KeyDeps {
  /** Number and luid of the ledger. */
  readonly id: number;
  readonly luid: string;
  readonly keys: Keyring;
  readonly suite: Suite;
}

/**
 * Checks the private keys that came with a ledger. Whoever seals an export to a passphrase of their own can promise keys that
 * they lack: the ledger would look usable, and take the place of an import that has the keys.
 *
 * @throws ImportRefused unless the ledger has the private keys of all signers that it signs with
 */
export async function assertOwnKeys(client: pg.ClientBase, { id, luid, keys, suite }: KeyDeps): Promise<void> {
  const { rows } = await client.query<KeyRow>(KEY_ROWS, [id]);
  for (const { handle, luid: of, public: key, name, sealed } of rows) {
    if (sealed === null || name === null)
      throw new ImportRefused(`The export lacks the private key of ${handle}. Import it with --read-only.`);
    const secret = keys.open(sealed, sealContext(luid, of, name));
    if (secret.length === PRIVATE_KEY_BYTES && encodeBase64(suite.publicKey(secret)) === key) continue;
    throw new ImportRefused(`The export has another private key of ${handle} than its own.`);
  }
}
