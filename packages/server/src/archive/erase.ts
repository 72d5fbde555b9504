import { hash as hashOf, isLuid, type RecordEnvelope, readJson, type Suite } from '@countersign/protocol';
import type pg from 'pg';
import { moment, type Runtime } from '../base/clock.js';
import { Corrupt, createIntegrity } from '../integrity/integrity.js';
import { createVeil, veilKeyOf } from '../integrity/veil.js';
import { countersigner } from '../keys/countersigner.js';
import type { Keyring } from '../keys/keyring.js';
import { namesKept, whyNotErased } from '../kinds/erasable.js';
import type { Kind } from '../kinds/kind.js';
import { kinds } from '../kinds/registry.js';
import { createSystemKeyOf } from '../log/system-keys.js';
import { keyReaderOf } from '../operations/erase.js';
import { type ErasureData, erasureCustom, erasureWrite } from '../records/erasure.js';
import { recordKeyOf } from '../records/version.js';
import { commitErasure, erasureLimits, Unsealed } from '../store/erasure.js';
import { createHistory } from '../store/queries/history.js';
import { createSystemKeys } from '../store/queries/ledgers.js';
import { findVeil } from '../store/queries/secrets.js';
import { findNamedLedger } from './named-ledger.js';
import { EraseRefused } from './refusals.js';

export interface OfflineErasure {
  readonly pool: pg.Pool;
  readonly keys: Keyring;
  readonly suite: Suite;
  readonly runtime: Runtime;
  /** Handle or luid. */
  readonly ledger: string;
  /** Name of the kind. */
  readonly kind: string;
  readonly luid: string;
  readonly reason: string;
}

/** What an erasure has come to. */
export interface ErasedByOperator {
  /** The change that says so, as it is served. */
  readonly record: RecordEnvelope;
  /** Whether it was erased before. */
  readonly isRepeated: boolean;
}

/** How often an erasure is decided anew, when the ledger has changed meanwhile. */
const ERASE_ATTEMPTS = 10;

/**
 * Erases a dropped record, or a final intent, in the name of the ledger alone (interface/records#erase).
 *
 * @throws EraseRefused for what cannot be erased, in words for the operator
 */
export async function eraseOnDatabase(options: OfflineErasure): Promise<ErasedByOperator> {
  const kind = erasableKind(options);
  const length = options.reason.length;
  if (length === 0 || length > erasureLimits.reason)
    throw new EraseRefused(`A reason has 1 to ${erasureLimits.reason} characters.`);
  for (let attempt = 1; attempt <= ERASE_ATTEMPTS; attempt += 1) {
    try {
      const erased = await tryErase(options, kind);
      if (erased) return erased;
    } catch (error) {
      if (error instanceof Unsealed)
        throw new EraseRefused('Changes of the record are not in the log yet. Start the server, and try again.');
      if (error instanceof Corrupt)
        throw new EraseRefused(`The record ${error.defect}: it was altered in the database.`);
      throw error;
    }
  }
  throw new EraseRefused('The ledger is changing too fast. Try again.');
}

/** @returns undefined when something has changed meanwhile */
async function tryErase(options: OfflineErasure, kind: Kind): Promise<ErasedByOperator | undefined> {
  const { pool, keys, suite, runtime, luid, reason } = options;
  const ledger = await findNamedLedger(options.pool, options.ledger, EraseRefused);
  const integrity = createIntegrity({ keys, suite, random: runtime.random, pool, alarm: () => {} });
  const latest = await createHistory(pool, integrity).latest({ ledger: ledger.id, kind: kind.name, luid });
  if (!latest) throw new EraseRefused(`There is no ${kind.name} ${luid} in this ledger.`);
  const record = readJson(latest.body) as RecordEnvelope;
  if (latest.action === 'erase') return { record, isRepeated: true };
  const isDropped = latest.action === 'drop';
  const refusal = whyNotErased(kind, { status: record.meta.status, isDropped });
  if (refusal !== undefined) throw new EraseRefused(refusal);
  const key = await createSystemKeyOf(keys, suite, createSystemKeys(pool))(ledger.id);
  if (!key) throw new EraseRefused('The ledger was imported without its private keys, and is read-only.');
  const now = moment(runtime);
  const data: ErasureData = { luid, change: latest.change, reason };
  const hash = hashOf(data, suite);
  const proofs = [countersigner('system', key, suite).stored(hash, erasureCustom(data, now))];
  const domain = await findDomain(pool, ledger.id, kind, record);
  const decided = erasureWrite(ledger, { kind, data, hash, domain, proofs, moment: now });
  const { mac, leaf, logCodes, deliveryMac } = integrity;
  const leaves = logCodes.codeLeaves(ledger.id, decided, leaf(ledger.luid, kind.name, decided));
  const coded = { mac: mac(decided, decided), leaves };
  const write = { ...decided, ...coded, proofs: [], assumedUnregistered: [] };
  const names = isDropped ? [] : namesKept(kind, recordKeyOf(kind, record));
  const veil = createVeil(veilKeyOf(keys, ledger.luid, await findVeil(pool, ledger)));
  const { result } = await commitErasure(pool, { write, names, keyOf: keyReaderOf(kind), veil, deliveryMac });
  return result === 'done' ? { record: readJson(write.body) as RecordEnvelope, isRepeated: false } : undefined;
}

function erasableKind({ kind: name, luid }: OfflineErasure): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (!kind) throw new EraseRefused(`There is no kind ${name}.`);
  if (!kind.lifecycle.erasable) throw new EraseRefused(`Records of the kind ${name} are never erased.`);
  if (!isLuid(luid, kind.prefix)) throw new EraseRefused(`${luid} is not the luid of a ${name}.`);
  return kind;
}

/** The domain whose rules are about the record: that of the one it lies under, for some kinds. */
async function findDomain(
  pool: pg.Pool,
  ledger: number,
  { links }: Kind,
  { data, meta }: RecordEnvelope,
): Promise<string | undefined> {
  if (!links.under || !links.inParentsDomain) return meta.domain;
  const { rows } = await pool.query<{ domain: string | null }>(
    'select domain from record where ledger_id = $1 and kind = $2 and handle = $3',
    [ledger, links.under.kind, data[links.under.member]],
  );
  return rows[0]?.domain ?? undefined;
}
