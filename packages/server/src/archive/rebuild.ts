import { decodeBase64, type RecordEnvelope, readJson, type StoredProof, type Suite } from '@countersign/protocol';
import type { ChangeLine, CurrentLine, ErasedLine, HeaderLine } from '@countersign/verifier';
import { type LogCodes, makeClosedLeaf } from '../integrity/log-leaves.js';
import type { Mac } from '../integrity/mac.js';
import type { KindName } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import { useOf } from '../records/proofs.js';
import { versionOf } from '../records/version.js';
import { cutVersions } from '../store/committer/cut.js';
import { besideOf } from '../store/quotas.js';

/** The rows that a record's versions make. */
export interface RecordRows {
  readonly changes: readonly object[];
  /** The index entry of one that was not dropped. */
  readonly record?: object;
  /** What the log will have of changes whose text is erased. */
  readonly leaves: readonly object[];
  readonly used: readonly { readonly digest: string; readonly luid: string }[];
  /** How often a version of the record has taken each key. */
  readonly keys: readonly string[];
}

export interface RebuildDeps {
  /** Number of the ledger in this database. */
  readonly ledger: number;
  readonly keys: HeaderLine['keys'];
  readonly mac: Mac;
  readonly logCodes: Pick<LogCodes, 'codeLeaves'>;
  readonly suite: Suite;
  /** The number of this database for one of the file. */
  readonly orderOf: (order: number) => number;
}

/** Characters of the versions of an intent that are cut together. */
const MOST_CUT = 4 * 1024 * 1024;

/** Makes all rows of a record from its versions: the same code derives them as for a write. */
export function rebuildRecord(
  deps: RebuildDeps,
  lines: readonly (ChangeLine | ErasedLine)[],
  current: CurrentLine | undefined,
): RecordRows {
  const whole = lines.filter((line): line is ChangeLine => line.text !== null);
  const erased = lines.filter((line): line is ErasedLine => line.text === null);
  const latest = whole.at(-1)!;
  const kind = latest.kind as KindName;
  const { ledger, mac } = deps;
  const index = current && indexEntry(deps, latest, current);
  const coded = whole.map(({ luid, change, action, moment, hash, text }) => {
    const code = mac({ ledger, kind }, { luid, change, action, body: text });
    const beside = index && change === latest.change ? { beside: index.beside } : {};
    return { luid, change, kind, action, moment, hash, body: text, mac: code, ...beside };
  });
  const used = new Set<string>();
  const keys: string[] = [];
  for (const { text, action } of whole) {
    const record = readJson(text) as RecordEnvelope;
    for (const proof of record.meta.proofs) if (isClients(deps.keys, proof)) used.add(useOf(deps, proof));
    const link = kindNamed(kind).links.isKey ? kindNamed(kind).links.value?.(record.data) : undefined;
    if (link !== undefined && action !== 'drop') keys.push(link);
  }
  return {
    changes: [...erased.map(toErasedRow), ...(kind === 'intent' ? cutIntent(coded) : coded)],
    leaves: erased.map((line) => leafRow(deps, line)),
    ...(index ? { record: index.row } : {}),
    used: [...used].map((digest) => ({ digest, luid: latest.luid })),
    keys,
  };
}

function toErasedRow({ luid, change, kind, action, moment }: ErasedLine): object {
  return { luid, change, kind, action, moment };
}

/** The file has a commitment of each: it was verified. */
function leafRow({ ledger, logCodes }: RebuildDeps, { luid, change, leaf }: ErasedLine): object {
  const closed = makeClosedLeaf(decodeBase64(leaf!.commitment)!);
  return { luid, change, leaf: logCodes.codeLeaves(ledger, { luid, change }, closed) };
}

function isClients(keys: HeaderLine['keys'], proof: StoredProof): boolean {
  return !Object.values(keys).includes(proof.public);
}

/** The versions of an intent have most of their text in common (decision 0026). */
function cutIntent<R extends { change: number; action: ChangeLine['action']; body: string; mac: string }>(
  rows: readonly R[],
): object[] {
  const size = rows.reduce((sum, { body }) => sum + body.length, 0);
  const whole = rows.at(-1)!;
  if (size > MOST_CUT) return [...rows];
  const earlier = rows.slice(0, -1);
  return [...cutVersions(whole.body, earlier), whole];
}

/** What lists find the record by, and its bytes as far as the quota counts them. */
function indexEntry(
  { ledger, orderOf }: RebuildDeps,
  { kind, change, text }: ChangeLine,
  { order, keyOrder, keyProven }: CurrentLine,
): { readonly row: object; readonly beside: number | undefined } {
  const record = readJson(text) as RecordEnvelope;
  const { key, luid, hash, status, moment, domain, link, document, judged } = versionOf(
    { id: ledger, version: 0 },
    kindNamed(kind as KindName),
    record,
    change,
    Number.POSITIVE_INFINITY,
  );
  const row = {
    kind,
    handle: key,
    luid,
    change,
    seq: orderOf(order),
    hash,
    status,
    moment,
    domain,
    link,
    link_since: keyOrder === undefined ? undefined : orderOf(keyOrder),
    link_proven: keyProven === true,
    document: readJson(document as string) as object,
    judged,
  };
  return { row, beside: besideOf({ action: 'update', body: text, document }) || undefined };
}
