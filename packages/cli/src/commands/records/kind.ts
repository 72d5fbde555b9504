import type { KindDescription, MemberDescription } from '@countersign/client/description';
import type { OpenLedger } from '../../connect.js';
import type { Argument } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';

/** A record as the client gives it. */
export interface SignedRecord {
  readonly hash: string;
  readonly luid: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly meta: { readonly [member: string]: unknown };
}

/** `wallet`, `signer factor`. */
export function nounOf({ title }: KindDescription): string {
  return title.toLowerCase();
}

/** `a wallet`, `an intent`. */
export function nounWithArticle(kind: KindDescription): string {
  const noun = nounOf(kind);
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** The member that names a record among those of its kind: `handle`, or `signer` for members of circles. */
export function nameMemberOf({ members }: KindDescription): MemberDescription {
  const found = members.find(({ name }) => name === 'handle') ?? members.find(({ name }) => name === 'signer');
  if (found === undefined) throw new Error('A kind without a name');
  return found;
}

/** The name of a position. `--signer` is the key that signs; a signer that is meant has another name. */
export function positionOf(member: string): string {
  return member === 'signer' ? 'signer-handle' : member;
}

/** The positions of the record above, where the kind has one. */
export function parentArgument(kind: KindDescription): Argument[] {
  const { parent } = kind;
  if (parent === undefined) return [];
  return [
    {
      name: positionOf(parent),
      about: `handle of the ${parent}`,
      ask: { kind: 'text', message: `Handle of the ${parent}` },
    },
  ];
}

/** The positions that name one record. The ledger's own record needs none. */
export function recordArguments(kind: KindDescription): Argument[] {
  if (!kind.item.includes('{id}')) return [];
  const noun = nounOf(kind);
  return [
    ...parentArgument(kind),
    { name: 'id', about: `handle or luid of the ${noun}`, ask: { kind: 'text', message: `Handle of the ${noun}` } },
  ];
}

/** Names of operations; which of them a kind has is told by the description. */
export type CommandOperation =
  | 'create'
  | 'list'
  | 'get'
  | 'update'
  | 'sign'
  | 'drop'
  | 'erase'
  | 'history'
  | 'change'
  | 'inclusion'
  | 'log'
  | 'consistency'
  | 'check'
  | 'events'
  | 'event'
  | 'retry'
  | 'requests'
  | 'request'
  | 'anchors'
  | 'domains'
  | 'lookup'
  | 'asset';

/** The operations of the kind, as the client has them. */
// biome-ignore lint/suspicious/noExplicitAny: what each takes and gives is told by the description, not by types
export type Operations = { readonly [Name in CommandOperation]: (...args: any[]) => any };

/** The operations on records of the kind that a call names. */
export async function operationsOf(
  kind: KindDescription,
  invocation: Invocation,
  { ledger }: OpenLedger,
): Promise<Operations> {
  const parent = kind.parent === undefined ? undefined : await invocation.need(positionOf(kind.parent));
  return ledger.kind(kind.record as Parameters<typeof ledger.kind>[0], parent) as unknown as Operations;
}

/** The arguments by which operations name the record: none for the ledger's own. */
export async function requireId(kind: KindDescription, invocation: Invocation): Promise<string[]> {
  return kind.item.includes('{id}') ? [await invocation.need('id')] : [];
}
