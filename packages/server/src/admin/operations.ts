import { LedgerError } from '@countersign/protocol';
import { type EnvironmentSettings, parseConfig } from '../config.js';
import { makeRequestCheck } from '../schemas/request.js';
import { cluster } from './cluster.js';
import { onDatabase } from './database.js';
import { doctor } from './doctor.js';
import { drain } from './drain.js';
import { intents, retryIntents } from './intents.js';
import { invitations, invite } from './invitations.js';
import { ledgers } from './ledgers.js';
import { showLedger } from './one-ledger.js';
import type { OperationDeps } from './operation.js';
import { quota } from './quota.js';
import { readOnly } from './read-only.js';
import { WrongCall } from './refusals.js';
import { resumeLedger, suspendLedger } from './suspend.js';

/** Every operation of operators, by the name that command and listener know it by. A new one gets its line here. */
const ADMIN_OPERATIONS = {
  ledgers,
  ledger: showLedger,
  suspend: suspendLedger,
  resume: resumeLedger,
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

export type AdminOperationName = keyof typeof ADMIN_OPERATIONS;

/** What an operation takes. */
export type InputOf<Name extends AdminOperationName> = Parameters<(typeof ADMIN_OPERATIONS)[Name]['run']>[1];

/** What an operation answers. */
export type OutputOf<Name extends AdminOperationName> = Awaited<ReturnType<(typeof ADMIN_OPERATIONS)[Name]['run']>>;

/** A call whose input is as the operation takes it. */
export interface OperatorCall<Name extends AdminOperationName = AdminOperationName> {
  readonly changes: boolean;
  /** @throws WrongCall where it is too large for the operators' listener */
  assertTakenAfar(): void;
  run(deps: OperationDeps): Promise<OutputOf<Name>>;
}

export function isOperation(name: string): name is AdminOperationName {
  return Object.hasOwn(ADMIN_OPERATIONS, name);
}

/** Checks what an operation is called with. @throws WrongCall */
export function prepareCall<Name extends AdminOperationName>(name: Name, input: unknown): OperatorCall<Name> {
  const operation = ADMIN_OPERATIONS[name];
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
export function runBeside<Name extends AdminOperationName>(
  settings: EnvironmentSettings,
  now: () => number,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  const readConfig = () => parseConfig(settings);
  const there = { readConfig, now, longestRead: LONGEST_READ };
  return prepareCall(name, input).run({ ...there, onDatabase: (work) => onDatabase(settings, work) });
}
