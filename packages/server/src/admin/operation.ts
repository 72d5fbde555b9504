import { type Static, type TObject, Type } from 'typebox';
import type { Config } from '../config.js';
import type { AdminDeps } from './database.js';

/** What operations work with, on the machine of the server or in it. */
export interface OperationDeps {
  /** @throws as `onDatabase` does */
  onDatabase<T>(work: (deps: AdminDeps) => Promise<T>): Promise<T>;
  /** @throws Error with one line for each setting that is wrong */
  readConfig(): Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that a statement may take which reads all that a ledger has of something. */
  readonly longestRead: number;
}

/**
 * What operators may have done: by `countersign admin` on the machine, and at the operators' listener. A new operation takes a
 * file, and a line in `operations.ts`.
 */
export interface AdminOperation<Input extends TObject, Output> {
  /** What it takes: a JSON object. */
  readonly input: Input;
  /** Whether such a call changes something: the server's log then says who asked for it. */
  changes(input: Static<Input>): boolean;
  /** Upper bounds of members of the input, for calls at the operators' listener: its process serves others meanwhile. */
  readonly mostAfar?: Readonly<Record<string, number>>;
  /** @throws what `refusalOf` knows */
  run(deps: OperationDeps, input: Static<Input>): Promise<Output>;
}

/** One of these texts. */
export function choice<Text extends string>(texts: readonly Text[]) {
  return Type.Unsafe<Text>({ type: 'string', enum: texts });
}

/** Handle or luid. */
export const LEDGER_NAME = Type.String({ minLength: 1, maxLength: 200 });

/** Infers the types of an operation. */
export function defineOperation<Input extends TObject, Output>(
  operation: AdminOperation<Input, Output>,
): AdminOperation<Input, Output> {
  return operation;
}
