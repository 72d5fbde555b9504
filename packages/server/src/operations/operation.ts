import type { Reason } from '@countersign/protocol';
import type { TSchema } from 'typebox';
import type { Right } from '../access/context.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { Answer, Command } from '../records/command.js';
import type { HandoverAction, Stages } from './stage.js';

/**
 * An operation on records: its steps, and its description for routes and OpenAPI. A new one takes a file and a line in
 * `operations.ts`.
 */
export interface Operation {
  readonly name: string;
  /** Whether records of the kind have it. */
  isOf(kind: Kind): boolean;
  /** The first is current, the others serve older clients. */
  routes(kind: Kind): readonly OperationRoute[];
  readonly perform: Perform;
  /** Refuses requests while their ledger does not have it, whoever asks: before their tokens are looked at. */
  readonly assertServed?: (session: Session) => void;
  readonly refusals: Refusals;
  /** Its name in policies that hand it over to a bridge; absent for operations that always stay in the ledger. */
  readonly handover?: HandoverAction;
  /** The right that it asks for, where its name does not say it. */
  readonly asks?: Right;
  readonly description: Description;
}

/** @param session on the latest known state of the ledger */
export type Perform = (session: Session, kind: Kind, command: Command, stages: Stages) => Promise<Answer>;

export interface OperationRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Its subject: the records of the kind, one of them, an address, which may lead to one, or the ledger, which no path names. */
  readonly of: 'records' | 'record' | 'address' | 'ledger';
  /** Appended to the path of the subject; empty by default. */
  readonly path?: string;
  /** What distinguishes the name of an alias from that of the route to use. */
  readonly alias?: string;
}

/** Reasons of refusals; nested kinds have more, because their path names a parent. */
export interface Refusals {
  readonly always: readonly Reason[];
  readonly nested?: readonly Reason[];
}

/** The operation in OpenAPI. */
export interface Description {
  /** `createWallet`. @param one the kind in Pascal case @param several the same of many */
  id(one: string, several: string): string;
  /** One line. @param one the kind with its article @param several the same of many */
  summary(one: string, several: string): string;
  /** The component that its body matches; absent for operations that take none. */
  body?(kind: Kind): string;
  readonly parameters?: readonly QueryParameter[];
  /** OpenAPI components of this operation alone, by name. */
  readonly components?: {
    /** Request schemas in the form that bodies are checked with. */
    readonly requests?: Readonly<Record<string, TSchema>>;
    /** JSON Schemas of answers. They may refer to any component. */
    readonly answers?: ComponentsOfAnswers;
  };
  /** By status. */
  answers(kind: Kind): Readonly<Record<number, AnswerDescription>>;
}

/** JSON Schemas of answers, by the names of their components. */
export type ComponentsOfAnswers = Readonly<Record<string, object>>;

/** A reference to an OpenAPI component. */
export function component(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** Parameters of the query. `include` applies to kinds that reveal secrets. */
export type QueryParameter =
  | 'page'
  | 'filters'
  | 'change-filters'
  | 'delivery-filters'
  | 'balance-filters'
  | 'limit-filters'
  | 'journal-filters'
  | 'trees'
  | 'include';

export interface AnswerDescription {
  readonly text: string;
  /** The component that it matches; absent where it is empty, or a file. */
  readonly component?: string;
  readonly isFile?: true;
}

/** Reasons for which every operation in a ledger can be refused. */
export const EVERY_OPERATION: readonly Reason[] = [
  'api.query-malformed',
  'auth.unauthorized',
  'auth.forbidden',
  'api.route-not-found',
  'api.request-timeout',
  'api.rate-limit-exceeded',
  'api.unexpected-error',
];

/** The same for requests with a proof. */
export const PROVED: readonly Reason[] = [
  ...EVERY_OPERATION,
  'api.body-malformed',
  'record.schema-invalid',
  'crypto.signature-missing',
  'crypto.signature-invalid',
  'record.invalid',
];

/** The same for requests with signed data. */
export const SIGNED: readonly Reason[] = [...PROVED, 'crypto.hash-invalid'];
