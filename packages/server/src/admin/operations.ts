import { LedgerError } from '@countersign/protocol';
import { parseConfig } from '../config.js';
import { makeRequestCheck } from '../schemas/request.js';
import { cluster } from './cluster.js';
import { onDatabase, type Settings } from './database.js';
import { doctor } from './doctor.js';
import { drain } from './drain.js';
import { intents, retryIntents } from './intents.js';
import { invitations, invite } from './invitations.js';
import { ledgers } from './ledgers.js';
import { ledger } from './one-ledger.js';
import type { OperationDeps } from './operation.js';
import { quota } from './quota.js';
import { readOnly } from './read-only.js';
import { WrongCall } from './refusals.js';
import { resume, suspend } from './suspend.js';

/** Every operation of operators, by the name that command and listener know it by. A new one gets its line here. */
const OPERATIONS = {
  ledgers,
  ledger,
  suspend,
  resume,
  quota,
  invite,
  invitations,
  intents,
  'retry-intents': retryIntents,
  'read-only': readOnly,
  cluster,
  drain,
  doctor,
} as const;

export type OperationName = keyof typeof OPERATIONS;

/** What an operation takes. */
export type InputOf<Name extends OperationName> = Parameters<(typeof OPERATIONS)[Name]['run']>[1];

/** What an operation answers. */
export type OutputOf<Name extends OperationName> = Awaited<ReturnType<(typeof OPERATIONS)[Name]['run']>>;

/** A call whose input is as the operation takes it. */
export interface OperatorCall<Name extends OperationName = OperationName> {
  readonly changes: boolean;
  /** @throws WrongCall where it is too large for the operators' listener */
  assertTakenAfar(): void;
  run(deps: OperationDeps): Promise<OutputOf<Name>>;
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** Checks what an operation is called with. @throws WrongCall */
export function prepareCall<Name extends OperationName>(name: Name, input: unknown): OperatorCall<Name> {
  const operation = OPERATIONS[name];
  try {
    makeRequestCheck(operation.input)(input);
  } catch (error) {
    throw error instanceof LedgerError ? new WrongCall(`The input is wrong: ${faultOf(error)}.`) : error;
  }
  // The check has told that it is this operation's.
  const checked = input as never;
  return {
    changes: operation.changes(checked),
    assertTakenAfar() {
      for (const [part, most] of Object.entries(operation.mostAfar ?? {}))
        if (checked[part] > most)
          throw new WrongCall(`From afar, ${part} is ${most} at most: ask for more at the host.`);
    },
    run: (deps) => operation.run(deps, checked) as Promise<OutputOf<Name>>,
  };
}

/** The member that is wrong, and how: the words of the check for request bodies, without what these are called. */
function faultOf({ detail }: LedgerError): string {
  return detail.replace(/^.*request\/body\/?/, '').trim();
}

/** Milliseconds that a read may take where the process does nothing else. */
const LONGEST_READ = 3_600_000;

/** Has an operation done at the machine of the server, beside it. @throws what `refusalOf` knows; Error in words for the operator */
export function runBeside<Name extends OperationName>(
  settings: Settings,
  now: () => number,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const readConfig = () => parseConfig(settings);
  const there = { readConfig, now, longestRead: LONGEST_READ };
  return prepareCall(name, input).run({ ...there, onDatabase: (work) => onDatabase(settings, work) });
}
