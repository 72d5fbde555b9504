import { randomBytes } from 'node:crypto';
import { hash as hashOf, type RecordEnvelope, type StoredProof, signProof } from '@countersign/protocol';
import { native } from '../../../src/auth/native-suite.js';
import type { ServerKey } from '../../../src/keys/signing-key.js';
import { type Draft, type DraftLine, indexOf } from './draft.js';

/** What an alteration is made with: all keys of the ledger, and chance. */
export interface Means {
  /** The ledger's own key, and those of clients, by their public halves. */
  readonly keys: ReadonlyMap<string, Pick<ServerKey, 'secret'>>;
  readonly drawn: (count: number) => number;
}

/**
 * Alters an export in a way that the proofs of its records cannot show, or not all of them: whoever does it has the keys.
 *
 * @returns the first leaf that is no more what it was; undefined where there is nothing to alter in that way
 */
export type Alteration = (draft: Draft, means: Means) => number | undefined;

/** What may be done to changes; the log can be made anew to fit. */
export const OF_CHANGES: Readonly<Record<string, Alteration>> = {
  'edits data, with hash and proofs made anew'(draft, means) {
    const single = draft.leaves.filter(({ luid, kind }) => kind !== 'intent' && draft.changesOf(luid).length === 1);
    const editable = single.filter(({ text }) => proofsOf(text).every((proof) => means.keys.has(proof.public)));
    return edit(pick(editable, means), means, (record) => {
      record.data = { ...record.data, custom: { edited: randomBytes(4).toString('hex') } };
    });
  },
  'edits a moment, with the proof of the ledger made anew'(draft, means) {
    const dated = draft.leaves.filter(({ luid, text }) => datedProof(luid, text) !== undefined);
    const line = pick(dated, means);
    if (!line) return undefined;
    const { result } = datedProof(line.luid, line.text)!;
    const touched = draft
      .changesOf(line.luid)
      .filter(({ text }) => proofsOf(text).some((proof) => proof.result === result));
    const moment = new Date(Date.parse(line.moment) + 1 + means.drawn(1000)).toISOString();
    for (const one of touched) editMoment(one, result, moment, means);
    return Math.min(...touched.map(indexOf));
  },
  'deletes the newest change of a record'(draft, means) {
    const line = pick(
      draft.leaves.filter(({ luid, change }) => change > 1 && change === draft.changesOf(luid).length),
      means,
    );
    if (!line) return undefined;
    draft.remove([line]);
    const current = draft.lines.find((one) => one.line === 'current' && one.luid === line.luid);
    if (current) current.change = line.change - 1;
    return indexOf(line);
  },
  'deletes a record'(draft, means) {
    const line = pick(draft.leaves, means);
    const gone = draft.lines.filter((one) => ['change', 'current'].includes(one.line) && one.luid === line.luid);
    draft.remove(gone);
    return Math.min(...gone.filter(({ leaf }) => leaf).map(indexOf));
  },
  'cuts a range out of the log'(draft, means) {
    const { leaves } = draft;
    const from = means.drawn(leaves.length - 1);
    return cut(draft, leaves.slice(from, from + 1 + means.drawn(20)));
  },
  'cuts the end off'(draft, means) {
    return cut(draft, draft.leaves.slice(-1 - means.drawn(20)));
  },
  'copies a record'(draft, means) {
    const line = pick(
      draft.leaves.filter(({ kind, change }) => kind === 'wallet' && change === 1),
      means,
    );
    const luid = `$wlt.zz${randomBytes(12).toString('base64url').slice(0, 15)}`;
    const copy = JSON.parse(JSON.stringify(line).replaceAll(line.luid, luid));
    copy.leaf = { index: draft.leaves.length, salt: newSalt() };
    const at = draft.lines.findLastIndex((one) => one.line === 'change' || one.line === 'current') + 1;
    draft.lines.splice(at, 0, copy);
    draft.header.changes += 1;
    return indexOf(copy);
  },
  'moves a leaf'(draft, means) {
    const { leaves } = draft;
    const from = means.drawn(leaves.length - 2);
    const to = from + 1 + means.drawn(leaves.length - 1 - from);
    const [moved] = leaves.splice(from, 1);
    leaves.splice(to, 0, moved);
    return renumber(leaves, from);
  },
  'swaps two leaves'(draft, means) {
    const { leaves } = draft;
    const one = means.drawn(leaves.length - 1);
    const other = one + 1 + means.drawn(leaves.length - 1 - one);
    [leaves[one], leaves[other]] = [leaves[other], leaves[one]];
    return renumber(leaves, one);
  },
  'changes a salt'(draft, means) {
    const line = pick(draft.leaves, means);
    line.leaf.salt = newSalt();
    return indexOf(line);
  },
  'swaps two salts'(draft, means) {
    const { leaves } = draft;
    const one = leaves[means.drawn(leaves.length - 1)];
    const other = leaves[indexOf(one) + 1 + means.drawn(leaves.length - 1 - indexOf(one))];
    [one.leaf.salt, other.leaf.salt] = [other.leaf.salt, one.leaf.salt];
    return indexOf(one);
  },
  'takes the leaves of a record away, as if they were not sealed'(draft, means) {
    const line = pick(draft.leaves, means);
    const touched = draft.changesOf(line.luid).filter(({ change, leaf }) => leaf && change >= line.change);
    const first = Math.min(...touched.map(indexOf));
    for (const one of touched) delete one.leaf;
    return first;
  },
};

/** What may be done to the log itself. */
export const OF_LOG: Readonly<Record<string, Alteration>> = {
  'gives a change the leaf of another'(draft, means) {
    const [one, other] = [pick(draft.leaves, means), pick(draft.leaves, means)];
    if (one === other) return undefined;
    one.leaf = { ...other.leaf };
    return 0;
  },
  'gives a change a leaf behind the end'(draft, means) {
    pick(draft.leaves, means).leaf.index = draft.header.log.size + means.drawn(3);
    return 0;
  },
  'says another size'(draft, means) {
    draft.header.log.size += means.drawn(2) === 0 ? 1 : -1;
    return 0;
  },
  'alters a byte of the checkpoint'(draft, means) {
    const { log } = draft.header;
    const at = means.drawn(log.checkpoint.length);
    const byte = log.checkpoint[at] === 'A' ? 'B' : 'A';
    log.checkpoint = log.checkpoint.slice(0, at) + byte + log.checkpoint.slice(at + 1);
    return 0;
  },
  'gives the log another name'(draft) {
    draft.header.log.origin = draft.header.log.origin.replace('/log/', '/lag/');
    return 0;
  },
};

function pick(lines: readonly DraftLine[], { drawn }: Means): DraftLine | undefined {
  return lines[drawn(lines.length)];
}

function newSalt(): string {
  return randomBytes(16).toString('base64');
}

/** Takes leaves out of the log, with all later changes of their records. */
function cut(draft: Draft, leaves: readonly DraftLine[]): number {
  const first = indexOf(leaves[0]);
  const from = new Map<string, number>();
  for (const { luid, change } of leaves) from.set(luid, Math.min(change, from.get(luid) ?? change));
  draft.remove(draft.lines.filter((one) => one.line === 'change' && one.change >= (from.get(one.luid) ?? Infinity)));
  for (const [luid, change] of from) {
    const current = draft.lines.find((one) => one.line === 'current' && one.luid === luid);
    if (current && change > 1) current.change = change - 1;
    else if (current) draft.remove([current]);
  }
  return first;
}

function renumber(leaves: readonly DraftLine[], from: number): number {
  for (const [index, line] of leaves.entries()) line.leaf.index = index;
  return from;
}

function proofsOf(text: string): readonly StoredProof[] {
  return (JSON.parse(text) as RecordEnvelope).meta.proofs;
}

/** The proof by which the ledger says the moment of a version. */
function datedProof(luid: string, text: string): StoredProof | undefined {
  const { meta } = JSON.parse(text) as RecordEnvelope;
  return meta.proofs.find(({ custom }) => custom?.luid === luid && custom.moment === meta.moment);
}

function edit(line: DraftLine | undefined, means: Means, change: (record: RecordEnvelope) => void): number | undefined {
  if (!line) return undefined;
  const record = JSON.parse(line.text) as RecordEnvelope;
  change(record);
  record.hash = hashOf(record.data, native);
  record.meta.proofs = record.meta.proofs.map((proof) => anew(proof, record.hash, means));
  line.hash = record.hash;
  line.text = JSON.stringify(record);
  return indexOf(line);
}

function editMoment(line: DraftLine, result: string, moment: string, means: Means): void {
  const record = JSON.parse(line.text) as RecordEnvelope;
  const before = record.meta.proofs.find((proof) => proof.result === result)!;
  if (record.meta.moment === before.custom!.moment) {
    record.meta.moment = moment;
    line.moment = moment;
  }
  const hash = line.action === 'drop' ? hashOf({ parent: record.hash }, native) : record.hash;
  record.meta.proofs = record.meta.proofs.map((proof) =>
    proof.result === result ? anew({ ...proof, custom: { ...proof.custom, moment } }, hash, means) : proof,
  );
  line.text = JSON.stringify(record);
}

/** The proof with its digest and signature made anew. */
function anew(proof: StoredProof, hash: string, { keys }: Means): StoredProof {
  const { secret } = keys.get(proof.public)!;
  const { digest, result } = signProof({ hash, custom: proof.custom, secret, public: proof.public }, native);
  return { ...proof, digest, result };
}
