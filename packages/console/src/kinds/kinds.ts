import type { RecordName } from '@countersign/client';
import { DESCRIPTION, type KindDescription } from '@countersign/client/description';

export type { KindDescription, MemberDescription } from '@countersign/client/description';

/** The kinds of record of the interface. Nothing of the console names one, except pages that are made for it. */
export const KINDS: readonly KindDescription[] = DESCRIPTION;

/** Kinds that are listed by themselves: not below a record of another one, and not the ledger's own. */
export const LISTED_KINDS = KINDS.filter(({ parent, item }) => parent === undefined && item.includes('{id}'));

export function findKind(record: string): KindDescription | undefined {
  return KINDS.find((kind) => kind.record === record);
}

/** The kind of a luid, by its first letters. */
export function kindOfLuid(luid: string): KindDescription | undefined {
  return KINDS.find(({ prefix }) => luid.startsWith(`$${prefix}.`));
}

/** Kinds whose records lie below those of this one. */
export function kindsBelow({ record }: KindDescription): readonly KindDescription[] {
  return KINDS.filter(({ parent }) => parent === record);
}

/** As the client takes it. */
export function recordName({ record }: KindDescription): RecordName {
  return record as RecordName;
}

/** The members that a list of the kind may be filtered by. */
export function filtersOf({ operations }: KindDescription): readonly string[] {
  return operations.find(({ name }) => name === 'list')?.filters ?? [];
}

/** The member that names a record among those of its kind: `handle`, or `signer` for members of circles. */
export function nameMember({ members }: KindDescription): string {
  return members.some(({ name }) => name === 'handle') ? 'handle' : 'signer';
}

/** The plural of a title, from the path of the kind: `Circle signers`. */
export function pluralOf({ title, path }: KindDescription): string {
  const last = path.split('/').at(-1) ?? '';
  return title.includes(' ') ? `${title}s` : last.charAt(0).toUpperCase() + last.slice(1);
}

/** The path of a record below the address of the interface. */
export function pathOf({ item }: KindDescription, id: string, parent?: string): string {
  return item.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent((name === 'id' ? id : parent) ?? ''));
}
