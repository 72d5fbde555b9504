import { setImmediate as turn } from 'node:timers/promises';
import { encodeBase64, type Suite } from '@countersign/protocol';
import type pg from 'pg';
import type { Runtime } from '../base/clock.js';
import { cacheLimits, LruCache } from '../base/lru-cache.js';
import type { Keyring } from '../keys/keyring.js';
import { sealContext } from '../keys/seal.js';
import { kindNamed } from '../kinds/registry.js';
import { createSystemKeys } from '../store/queries/ledgers.js';
import type { Check, StoredVersion, VersionSource } from '../store/queries/version.js';
import { createLogCodes, createMakeLeaf } from './log-leaves.js';
import { createDeliveryMac, createMac, createOpenMac } from './mac.js';
import { type Defect, defectOf, isUnder, parseRecord } from './verify.js';

/** A version in the database differs from what the ledger stored. It is neither answered nor used for any decision. */
export class Corrupt extends Error {
  constructor(
    /** Luid of the ledger. */
    readonly ledger: string,
    /** Luid of the record. */
    readonly luid: string,
    readonly change: number,
    readonly defect: Defect,
  ) {
    super(`Change ${change} of ${luid} ${defect}.`);
  }
}

/** Detects changes made in the database. */
export type Integrity = ReturnType<typeof createIntegrity>;

export interface IntegrityOptions {
  readonly keys: Keyring;
  readonly suite: Suite;
  readonly random: Runtime['random'];
  /** Asked for the sealed keys of `system` signers. */
  readonly pool: pg.Pool;
  /** Called for every corrupt version that is read. */
  readonly alarm: (corrupt: Corrupt) => void;
}

/** Versions verified by their proofs in a row before other work has a turn. */
const VERSIONS_IN_A_ROW = 32;

/**
 * A version that has an authentication code is as stored if the code is right. A version without one, of an early
 * release, is verified as any client could: by its hash and the ledger's own proof. An attacker who removes the codes
 * faces that same check.
 */
export function createIntegrity({ keys, suite, random, pool, alarm }: IntegrityOptions) {
  const systemKey = createSystemKeys(pool);
  const mac = createMac(keys.codes);
  const publics = new LruCache<number, { readonly luid: string; readonly public: string }>(cacheLimits.ledgers);
  let verified = 0;

  /**
   * The ledger's luid and public key. The key is derived from the sealed private key, which only the holder of the
   * master key could have sealed.
   */
  const systemOf = async (ledger: number, anew = false) => {
    const known = anew ? undefined : publics.get(ledger);
    if (known) return known;
    const stored = await systemKey(ledger);
    if (!stored) return undefined;
    const secret = keys.open(stored.sealed, sealContext(stored.ledger, stored.luid, stored.name));
    const system = { luid: stored.ledger, public: encodeBase64(suite.publicKey(secret)) };
    publics.set(ledger, system);
    return system;
  };

  const refuse = (
    { ledger, luid, change }: { ledger: string; luid: string; change: number },
    defect: Defect,
  ): never => {
    const corrupt = new Corrupt(ledger, luid, change, defect);
    alarm(corrupt);
    throw corrupt;
  };

  const raise = async ({ ledger }: VersionSource, { luid, change }: StoredVersion, defect: Defect): Promise<never> => {
    const { luid: named = String(ledger) } = (await systemOf(ledger)) ?? {};
    return refuse({ ledger: named, luid, change }, defect);
  };

  const verify = async (place: VersionSource, version: StoredVersion): Promise<void> => {
    verified += 1;
    if (verified % VERSIONS_IN_A_ROW === 0) await turn();
    const kind = kindNamed(place.kind);
    const by = (system: string) => defectOf(kind, version.luid, version.body, system, suite);
    let defect = by((await systemOf(place.ledger))?.public ?? '');
    // After a restore of the database another ledger may have the number.
    if (defect === 'has no proof of its ledger') defect = by((await systemOf(place.ledger, true))?.public ?? '');
    if (defect) await raise(place, version, defect);
    if (!isFoundRightly(place, version)) await raise(place, version, 'names another record');
  };

  return {
    mac,
    deliveryMac: createDeliveryMac(keys.codes),
    openMac: createOpenMac(keys.codes),
    leaf: createMakeLeaf(random),
    logCodes: createLogCodes(keys.codes),
    /** Raises the alarm. @throws Corrupt */
    refuse,
    check(place: VersionSource, version: StoredVersion): ReturnType<Check> {
      if (version.mac === null) return verify(place, version);
      if (mac(place, version) !== version.mac) return raise(place, version, 'is not the text that was stored');
      return isFoundRightly(place, version) ? undefined : raise(place, version, 'names another record');
    },
  };
}

function isFoundRightly({ kind, key, is }: VersionSource, { body }: StoredVersion): boolean {
  if (key !== undefined && !isUnder(kindNamed(kind), body, key)) return false;
  return is === undefined || is(parseRecord(body)?.data ?? {});
}
