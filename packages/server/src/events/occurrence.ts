import type { Json, RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { EventMember } from './event.js';

/** A member of an event before it is stored: how the outbox keeps it, and its value now. */
interface OccurrencePart {
  readonly kept: EventMember;
  readonly value: Json;
}

/** Something that an operation did and effects may be told of (interface/effects#signals). */
export interface Occurrence {
  readonly signal: string;
  readonly kind: Kind;
  /** Handle of the record it is about; a dropped record has none. */
  readonly linked?: string;
  /** Domain of that record. */
  readonly domain: string | undefined;
  readonly parts: Readonly<Record<string, OccurrencePart>>;
}

/** A version of a record that is about to be stored. */
export interface NewVersion {
  readonly kind: Kind;
  readonly record: RecordEnvelope;
  readonly change: number;
}

/** What a create raises: `<kind>-created`, and `<kind>-proofs-added` with the ledger's proof. */
export function creationOf(version: NewVersion): Occurrence[] {
  const { kind } = version;
  return [
    occurrence(version, 'created', { [kind.name]: wholeRecord(version) }),
    occurrence(version, 'proofs-added', lastProof(version)),
  ];
}

/** What an update raises: `<kind>-updated`, and `<kind>-proofs-added` with the ledger's proof. */
export function updateOf(version: NewVersion, before: RecordEnvelope): Occurrence[] {
  const { kind } = version;
  const parts = { [kind.name]: wholeRecord(version), parent: previous(version, before) };
  return [occurrence(version, 'updated', parts), occurrence(version, 'proofs-added', lastProof(version))];
}

/**
 * What a new proof raises: `<kind>-proofs-added` with it. Intents, which only proofs change, raise `intent-updated` too.
 *
 * @param index where the proof stands
 * @param from number of the version before
 */
export function proofOf(
  version: NewVersion,
  before: RecordEnvelope,
  index: number,
  from = version.change - 1,
): Occurrence[] {
  const { kind } = version;
  const added = occurrence(version, 'proofs-added', proofAt(version, index));
  const { operations, signals } = kind.lifecycle;
  // Proofs alone change a report, too; `report-updated` is reserved for releases to come.
  if (operations.includes('update') || !signals.includes(`${kind.name}-updated`)) return [added];
  const parts = { [kind.name]: wholeRecord(version), parent: wholeRecord({ kind, record: before, change: from }) };
  return [occurrence(version, 'updated', parts), added];
}

/** What a drop raises: `<kind>-dropped` with the record as it was before. */
export function dropOf(version: NewVersion, before: RecordEnvelope): Occurrence[] {
  const { linked: _, ...dropped } = occurrence(version, 'dropped', { parent: previous(version, before) });
  return [dropped];
}

function occurrence({ kind, record }: NewVersion, verb: string, parts: Occurrence['parts']): Occurrence {
  const { domain } = record.meta;
  return { signal: `${kind.name}-${verb}`, kind, linked: String(record.data.handle), domain, parts };
}

function wholeRecord({ kind, record, change }: NewVersion): OccurrencePart {
  return { kept: { record: [kind.name, record.luid, change] }, value: record as unknown as Json };
}

function previous({ kind, change }: NewVersion, before: RecordEnvelope): OccurrencePart {
  return wholeRecord({ kind, record: before, change: change - 1 });
}

function lastProof(version: NewVersion): Occurrence['parts'] {
  return proofAt(version, version.record.meta.proofs.length - 1);
}

function proofAt({ kind, record, change }: NewVersion, index: number): Occurrence['parts'] {
  return {
    [kind.name]: { kept: { value: String(record.data.handle) }, value: String(record.data.handle) },
    proofs: {
      kept: { proof: [kind.name, record.luid, change, index] },
      value: [record.meta.proofs[index] as unknown as Json],
    },
  };
}
