import {
  domainOf,
  type Json,
  type JsonObject,
  type Meta,
  type RecordEnvelope,
  type StoredProof,
} from '@countersign/protocol';
import type { FindingRule } from './finding.js';
import { isSameJson } from './json/same-json.js';
import { authorOf, type LedgerKeys } from './keys.js';
import { kindFacts, reportSuccessors, statusesAfter } from './kinds.js';
import { applyLabelChange } from './labels.js';
import type { RecordVersion } from './version.js';

/** Takes what is wrong with the version that is looked at. */
export type ReportFault = (rule: FindingRule, detail: string) => void;

/** Proofs of a version, by what they are: `own` is the ledger's that names the record, `clients` come before it. */
interface Split {
  readonly clients: readonly StoredProof[];
  readonly own: StoredProof | undefined;
  /** Whether more follow: those of a bridge, which the ledger has added as of a later moment (interface/forwarding). */
  readonly hasMore: boolean;
}

/** The first version of a record (interface/records#create, interface/proofs#proofs-of-the-ledger). */
export function judgeCreate(keys: LedgerKeys, { kind, record, change }: RecordVersion, fault: ReportFault): void {
  const { data, luid, meta } = record;
  if (change !== 1) fault('history', 'is a create, and not the first change');
  const { clients: before, own, hasMore } = splitProofs(keys, luid, meta.proofs);
  if (!own) {
    fault('proof', 'has no proof of its ledger that names the record');
    return;
  }
  const isIntent = kind === 'intent';
  const first = isIntent ? before.at(-1) : undefined;
  if (isIntent && !(first && authorOf(keys, first) === 'system' && first.custom?.status === 'pending'))
    fault('proof', 'lacks the proof by which its ledger accepts an intent');
  const clients = isIntent ? before.slice(0, -1) : before;
  const isMade = isMadeByLedger(keys, kind, record, clients);
  if (clients.length === 0 && !isMade) fault('proof', 'has no proof of a client');
  const status = isIntent ? 'pending' : 'created';
  if (own.custom?.status !== status && !(own.custom?.status === undefined && isMade))
    fault('proof', `has a proof of its ledger with the status ${excerpt(own.custom?.status)}`);
  const isBirth = own.custom?.status === undefined && kind !== 'signer-factor';
  expect(fault, 'status', meta.status, isBirth ? undefined : status);
  judgeMoment(meta, own, hasMore, fault);
  expect(fault, 'owners', meta.owners, [...new Set(clients.map((proof) => proof.public))]);
  if (!hasToken(keys, clients)) {
    expect(fault, 'labels', meta.labels, customsIn(clients).reduce(labelsAfter, undefined));
    judgeDomain(kind, data, meta, clients, fault);
  }
}

/** A version with new data (interface/records#update). */
export function judgeUpdate(
  keys: LedgerKeys,
  before: RecordVersion,
  { kind, record }: RecordVersion,
  fault: ReportFault,
): void {
  const { data, luid, meta } = record;
  const was = before.record;
  const { parent } = data;
  if (typeof parent !== 'string' || parent.toLowerCase() !== was.hash)
    fault('history', `has the parent ${excerpt(parent)}, and change ${before.change} has the hash ${was.hash}`);
  const { clients, own, hasMore } = splitProofs(keys, luid, meta.proofs);
  if (!own) {
    fault('proof', 'has no proof of its ledger that names the record');
    return;
  }
  if (clients.length === 0) fault('proof', 'has no proof of a client');
  if (own.custom?.status !== undefined) fault('proof', 'has a proof of its ledger for another operation');
  judgeMoment(meta, own, hasMore, fault);
  if (data.handle !== was.data.handle && !kindFacts(kind)?.isRenamable)
    fault('history', `changes the handle of its record from ${excerpt(was.data.handle)}`);
  assertKept(fault, ['status', 'owners', 'domain', 'assets'], meta, was.meta);
  if (!hasToken(keys, clients))
    expect(fault, 'labels', meta.labels, customsIn(clients).reduce(labelsAfter, was.meta.labels));
}

/** A version with further proofs (interface/records#add-a-proof). Intents are judged by their trail, beside this. */
export function judgeAddedProofs(
  keys: LedgerKeys,
  before: RecordVersion,
  { kind, record }: RecordVersion,
  fault: ReportFault,
): void {
  const { meta } = record;
  const was = before.record.meta;
  judgeSameData(before.record, record, fault);
  const added = findAddedProofs(was, meta, fault);
  if (!added) return;
  assertKept(fault, ['owners', 'domain'], meta, was);
  if (kind === 'intent') {
    assertKept(fault, ['moment', 'labels', 'thread', 'domains'], meta, was, isAbsentOr(added));
    return;
  }
  const [first] = added;
  if (!first) {
    fault('history', 'changes nothing');
    return;
  }
  if (authorOf(keys, first) === 'core') fault('proof', 'has a proof by core, which signs for intents alone');
  const said = first.custom;
  if (!statusesAfter(was.status, said?.status).includes(meta.status))
    fault('meta', `has the status ${excerpt(meta.status)}, which no proof gives it`);
  const next = reportSuccessors(was.status);
  if (kind === 'report' && meta.status !== was.status && !next.includes(meta.status ?? ''))
    fault('meta', `goes from the status ${excerpt(was.status)} to ${excerpt(meta.status)}`);
  expect(fault, 'labels', meta.labels, applyLabelChange(was.labels, said?.labels));
  if (!isSameJson(meta.assets, was.assets)) expect(fault, 'assets', meta.assets as Json | undefined, said?.assets);
}

/** The last version of a dropped record (interface/records#history). */
export function judgeDrop(
  keys: LedgerKeys,
  before: RecordVersion,
  { record }: RecordVersion,
  fault: ReportFault,
): void {
  const { luid, meta } = record;
  const was = before.record.meta;
  judgeSameData(before.record, record, fault);
  const added = findAddedProofs(was, meta, fault);
  if (!added) return;
  assertKept(fault, ['owners', 'domain', 'labels', 'assets'], meta, was);
  expect(fault, 'status', meta.status, 'dropped');
  const { clients, own } = splitProofs(keys, luid, added);
  if (!own) {
    fault('proof', 'has no proof of its ledger for the drop');
    return;
  }
  if (clients.length === 0) fault('proof', 'has no proof of a client for the drop');
  if (own.custom?.status !== 'dropped') fault('proof', 'has a proof of its ledger for another operation');
  expect(fault, 'moment', meta.moment, own.custom?.moment);
}

/** The proofs that a version has beyond the one before; undefined, and a fault, where it lacks one of those. */
export function findAddedProofs(was: Meta, now: Meta, fault: ReportFault): StoredProof[] | undefined {
  const lost = was.proofs.findIndex((proof, at) => {
    const kept = now.proofs[at];
    return kept === undefined || !isSameJson(kept, proof);
  });
  if (lost < 0) return now.proofs.slice(was.proofs.length);
  fault('history', `lacks proof ${lost + 1} of the change before it, or has it altered`);
  return undefined;
}

function judgeSameData(was: RecordEnvelope, now: RecordEnvelope, fault: ReportFault): void {
  if (!isSameJson(was.data, now.data))
    fault('history', 'has other data than the change before it, under the same hash');
}

function splitProofs(keys: LedgerKeys, luid: string, proofs: readonly StoredProof[]): Split {
  const at = proofs.findIndex((proof) => authorOf(keys, proof) === 'system' && proof.custom?.luid === luid);
  return at < 0
    ? { clients: proofs, own: undefined, hasMore: false }
    : { clients: proofs.slice(0, at), own: proofs[at], hasMore: at + 1 < proofs.length };
}

/** A bridge's proof is added as of a later moment, which nobody signs: by a clock that was set back it may be earlier. */
function judgeMoment(meta: Meta, own: StoredProof, hasMore: boolean, fault: ReportFault): void {
  const signed = own.custom?.moment;
  if (hasMore && typeof signed === 'string') return;
  expect(fault, 'moment', meta.moment, signed);
}

/** Birth records (interface/ledgers#birth-records), and client credentials, of which no client's proof is kept. */
function isMadeByLedger(
  keys: LedgerKeys,
  kind: string,
  { data }: RecordEnvelope,
  clients: readonly StoredProof[],
): boolean {
  if (kind === 'signer-factor') return data.schema === 'oauth-client-credentials' && clients.length === 0;
  const [first] = clients;
  const isBare = clients.length === 1 && first !== undefined && first.custom === undefined;
  return (kind === 'policy' || kind === 'schema') && isBare && authorOf(keys, first) === 'system';
}

/** Whether a token stands behind the write: then what its client asked for is not all signed. */
function hasToken(keys: LedgerKeys, clients: readonly StoredProof[]): boolean {
  return clients.some((proof) => authorOf(keys, proof) === 'auth');
}

function judgeDomain(
  kind: string,
  data: JsonObject,
  { domain }: Meta,
  clients: readonly StoredProof[],
  fault: ReportFault,
): void {
  // Which domain a nested record is in follows from another record.
  if (domain === undefined || kindFacts(kind)?.domainOf) return;
  const named = customsIn(clients).find((custom) => custom?.domain !== undefined)?.domain;
  const suffix = typeof data.handle === 'string' ? domainOf(data.handle) : undefined;
  if (domain !== (named ?? suffix))
    fault('meta', `is in the domain ${domain}, which neither a proof nor the handle names`);
}

function customsIn(proofs: readonly StoredProof[]): (JsonObject | undefined)[] {
  return proofs.map(({ custom }) => custom);
}

function labelsAfter(had: string[] | undefined, custom: JsonObject | undefined): string[] | undefined {
  return applyLabelChange(had, custom?.labels);
}

/** Labels of an intent change by the proof of a client; all else of it stays. */
function isAbsentOr(added: readonly StoredProof[]): readonly string[] {
  return added.some(({ custom }) => custom?.labels !== undefined) ? ['labels'] : [];
}

function assertKept(
  fault: ReportFault,
  members: readonly string[],
  now: Meta,
  was: Meta,
  except: readonly string[] = [],
): void {
  for (const member of members) {
    if (except.includes(member)) continue;
    expect(fault, member, (now as unknown as JsonObject)[member], (was as unknown as JsonObject)[member]);
  }
}

function expect(fault: ReportFault, member: string, is: Json | undefined, mustBe: Json | undefined): void {
  if (!isSameJson(is, mustBe))
    fault('meta', `has ${excerpt(is)} in 'meta.${member}', where its proofs and history give ${excerpt(mustBe)}`);
}

/** A value in a detail, cut to a length fit to show. */
function excerpt(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
