import {
  encodeBase64,
  hash as hashOf,
  type JsonObject,
  type Meta,
  luid as makeLuid,
  type Proof,
  type RecordEnvelope,
  type StoredProof,
  signProof,
} from '@countersign/protocol';
import { moment } from '../../base/clock.js';
import { type Countersigner, countersigner } from '../../keys/countersigner.js';
import { sealContext } from '../../keys/seal.js';
import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import { SYSTEM_SIGNERS } from '../../kinds/signer.js';
import type { Service } from '../../ledgers/service.js';
import { sortMembers, versionOf } from '../../records/version.js';
import type { BirthRecord, Births } from '../../store/queries/ledgers.js';
import { type SystemRecord, systemRecords } from './birth-records.js';

/** The client's part of the record of a new ledger. */
export interface FoundingRecord {
  readonly hash: string;
  readonly data: JsonObject;
  readonly proofs: readonly StoredProof[];
  /** The client's proofs as the store tells them apart (records/proofs.ts, `useOf`). */
  readonly uses: readonly string[];
  readonly owners: readonly string[];
}

export interface NewLedger {
  readonly luid: string;
  /** The ledger's own record, as served. */
  readonly record: RecordEnvelope;
  /** All its birth records, its own first. */
  readonly births: Births;
}

/**
 * Makes a ledger: its keys, its own record, and the signers, policies and schemas it is born with
 * (interface/ledgers#birth-records).
 */
export function newLedger(service: Service, founding: FoundingRecord): NewLedger {
  const now = moment(service.runtime);
  const luid = makeBirthLuid(service, 'ledger');
  const keys = SYSTEM_SIGNERS.map((handle) => newKey(service, handle));
  const system = countersigner('system', keys[0]!, service.suite);
  const own = ledgerRecord(founding, system, luid, now);
  const signers = keys.map((key) => signerRecord(service, key, system, now));
  const others = systemRecords(service.suite).map((one) => ledgerMade(service, one, system, now));
  return {
    luid,
    record: own,
    births: (id, version) => {
      const birth = (
        kind: Kind,
        record: RecordEnvelope,
        secrets: BirthRecord['secrets'] = [],
        proofs: readonly string[] = [],
      ) => birthOf(service, { id, luid, version }, kind, record, secrets, proofs);
      return [
        birth(kindNamed('ledger'), own, [], founding.uses),
        ...signers.map(({ record, key }) => birth(kindNamed('signer'), record, [sealKey(service, luid, record, key)])),
        ...others.map(({ kind, record }) => birth(kind, record)),
      ];
    },
  };
}

interface NewSystemKey {
  readonly handle: string;
  readonly public: string;
  readonly secret: Uint8Array;
  /** The name in its `secret` reference. */
  readonly reference: string;
}

function newKey({ runtime, suite }: Service, handle: string): NewSystemKey {
  const secret = runtime.random(32);
  const letters = Array.from(runtime.random(16), (byte) => String.fromCharCode(0x61 + (byte % 26)));
  return { handle, public: encodeBase64(suite.publicKey(secret)), secret, reference: letters.join('') };
}

function sealKey({ keys }: Service, ledger: string, record: RecordEnvelope, key: NewSystemKey) {
  const context = sealContext(ledger, record.luid, key.reference);
  return { name: key.reference, sealed: keys.seal(Buffer.from(key.secret), context) };
}

function ledgerRecord(
  { hash, data, proofs, owners }: FoundingRecord,
  system: Countersigner,
  luid: string,
  now: string,
): RecordEnvelope {
  const kind = kindNamed('ledger');
  const countersigned = system.stored(hash, { luid, moment: now, status: 'created' });
  return {
    hash,
    data: sortMembers(kind, data),
    luid,
    meta: { proofs: [...proofs, countersigned], status: 'created', moment: now, owners: [...owners] },
  };
}

/** A signer of the ledger's own: first its own bare proof, then the proof of `system`. */
function signerRecord(service: Service, key: NewSystemKey, system: Countersigner, now: string) {
  const data: JsonObject = {
    handle: key.handle,
    access: [{ action: 'read' }],
    format: 'ed25519-raw',
    public: key.public,
    secret: `{{ secret.${key.reference} }}`,
  };
  const hash = hashOf(data, service.suite);
  const luid = makeBirthLuid(service, 'signer');
  const own = toBirthProof(signProof({ hash, custom: { moment: now, status: 'created' }, ...key }, service.suite));
  const meta: Meta = {
    proofs: [own, system.stored(hash, { luid, moment: now, status: 'created' })],
    status: 'created',
    moment: now,
    owners: [key.public],
  };
  return { key, record: { hash, data: sortMembers(kindNamed('signer'), data), luid, meta } };
}

/** A policy or schema of the ledger's own: its status is absent, and its first proof, by `system`, lacks `custom`. */
function ledgerMade(service: Service, { kind, data, hash }: SystemRecord, system: Countersigner, now: string) {
  const luid = makeBirthLuid(service, kind.name);
  const meta: Meta = {
    proofs: [toBirthProof(system.sign(hash)), system.stored(hash, { luid, moment: now })],
    moment: now,
    owners: [system.public],
  };
  return { kind, record: { hash, data, luid, meta } };
}

/** A proof as stored, reduced to the members that its signer made. */
function toBirthProof({ custom, digest, method, public: key, result }: Proof): StoredProof {
  return { custom, digest, method, public: key, result };
}

function makeBirthLuid({ runtime }: Service, kind: Kind['name']): string {
  return makeLuid(kindNamed(kind).prefix, Math.floor(runtime.now() / 1000), runtime.random(11));
}

function birthOf(
  service: Service,
  ledger: { readonly id: number; readonly luid: string; readonly version: number },
  kind: Kind,
  record: RecordEnvelope,
  secrets: BirthRecord['secrets'],
  proofs: readonly string[],
): BirthRecord {
  const version = { ...versionOf(ledger, kind, record, 1), action: 'create' as const };
  const mac = service.integrity.mac(version, version);
  const leaf = service.integrity.leaf(ledger.luid, kind.name, version);
  const leaves = service.integrity.logCodes.codeLeaves(ledger.id, version, leaf);
  return {
    secrets,
    write: { ...version, proofs, assumedUnregistered: [], mustExist: [], bumpsRules: false, mac, leaves },
  };
}
