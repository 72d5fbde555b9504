import type { Json } from '@countersign/protocol';
import { jsonText } from './json/json-text.js';

/** What the verifier knows of a kind of record (interface/envelope#luids, interface/records). */
interface KindFacts {
  readonly prefix: string;
  /** An update may give it another handle (interface/envelope#handles). */
  readonly isRenamable?: true;
  /** It is in the domain of the record that this member names (interface/domains#which-domain-a-record-is-in). */
  readonly domainOf?: { readonly kind: string; readonly member: string };
  /** Its records are never erased (interface/records#erase). */
  readonly isKept?: true;
  /** A member that early builds added as `null` to data that was hashed without it. */
  readonly nullable?: string;
}

const KIND_FACTS: Readonly<Record<string, KindFacts>> = {
  ledger: { prefix: 'ldg', isKept: true, nullable: 'config' },
  signer: { prefix: 'snr', isKept: true },
  'signer-factor': {
    prefix: 'snf',
    isRenamable: true,
    nullable: 'secret',
    domainOf: { kind: 'signer', member: 'signer' },
  },
  domain: { prefix: 'dom', isKept: true },
  report: { prefix: 'rep' },
  policy: { prefix: 'plc' },
  schema: { prefix: 'sch', isKept: true },
  effect: { prefix: 'eff', isRenamable: true },
  circle: { prefix: 'crc', isKept: true },
  'circle-signer': { prefix: 'csn', domainOf: { kind: 'circle', member: 'circle' } },
  anchor: { prefix: 'anc' },
  wallet: { prefix: 'wlt' },
  intent: { prefix: 'int' },
  symbol: { prefix: 'sym' },
  bridge: { prefix: 'brg' },
};

/** Names of all kinds. */
export const KIND_NAMES: readonly string[] = Object.keys(KIND_FACTS);

/** Undefined for an unknown kind. */
export function kindFacts(kind: string): KindFacts | undefined {
  return Object.hasOwn(KIND_FACTS, kind) ? KIND_FACTS[kind] : undefined;
}

/** The kind of the record with this luid; undefined for an unknown prefix. */
export function kindOfLuid(luid: string): string | undefined {
  return KIND_NAMES.find((kind) => luid.startsWith(`$${KIND_FACTS[kind]!.prefix}.`));
}

/** What is unique among the living records of a kind. */
export function uniqueKey(kind: string, data: Readonly<Record<string, unknown>>): string {
  return kind === 'circle-signer' ? `${jsonText(data.circle)}/${jsonText(data.signer)}` : jsonText(data.handle);
}

/** The statuses that may follow each other in reports (interface/reports#statuses). */
const REPORT_SUCCESSORS: ReadonlyMap<string, readonly string[]> = new Map([
  ['created', ['pending', 'rejected']],
  ['pending', ['completed', 'rejected']],
  ['completed', ['settled']],
  ['rejected', ['pending', 'completed']],
]);

/** The statuses that may follow that of a report. */
export function reportSuccessors(status = ''): readonly string[] {
  return REPORT_SUCCESSORS.get(status) ?? [];
}

/** The statuses that a record may have after a further proof: what the proof asks for may still lack a quorum. */
export function statusesAfter(was: Json | undefined, asked: Json | undefined): readonly (Json | undefined)[] {
  if (asked === undefined) return [was];
  return [was, asked === null ? undefined : asked];
}
