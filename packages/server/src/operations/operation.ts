import type { Reason } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import type { HandedAction, Stages } from './stage.js';

/**
 * An operation on records: all that routes and OpenAPI tell of it, in the file of its steps. A new one is such a file and
 * its line in `operations.ts`.
 */
export interface Operation {
  readonly name: string;
  /** Whether records of the kind have it. */
  isOf(kind: Kind): boolean;
  /** The first is the one to use, the others are for older clients. */
  routes(kind: Kind): readonly OperationRoute[];
  readonly perform: Perform;
  readonly refusals: Refusals;
  /** What policies call it that hand it to a service outside; absent where none can. */
  readonly handed?: HandedAction;
  readonly description: Description;
}

/** @param session on the state of the ledger to begin with */
export type Perform = (session: Session, kind: Kind, command: Command, stages: Stages) => Promise<Answer>;

export interface OperationRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What it is about: the records of the kind, or one. */
  readonly of: 'records' | 'record';
  /** What follows the path of that; nothing unless given. */
  readonly path?: string;
  /** What distinguishes the name of an alias from that of the route to use. */
  readonly alias?: string;
}

/** Reasons of refusals; nested kinds have more, because their path names a parent. */
export interface Refusals {
  readonly always: readonly Reason[];
  readonly nested?: readonly Reason[];
}

/** What OpenAPI tells of an operation. */
export interface Description {
  /** `createWallet`. @param one the kind in Pascal case @param several the same of many */
  id(one: string, several: string): string;
  /** A line. @param one the kind with its article @param several the same of many */
  summary(one: string, several: string): string;
  /** The component that its body matches; absent where it has none. */
  body?(kind: Kind): string;
  readonly parameters?: readonly Parameter[];
  /** By status. */
  answers(kind: Kind): Readonly<Record<number, AnswerDescription>>;
}

/** Parameters of the query. `include` is for kinds that reveal secrets. */
export type Parameter = 'page' | 'filters' | 'change-filters' | 'include';

export interface AnswerDescription {
  readonly text: string;
  /** The component that it matches; absent where it is empty. */
  readonly component?: string;
}
