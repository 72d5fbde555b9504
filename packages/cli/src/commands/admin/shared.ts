import type { AdminOperationName, AdminRefusal, InputOf, OutputOf, RefusalReason } from '@countersign/server/admin';
import type { Invocation } from '../../description/invocation.js';
import { type Exit, Failure, localFailure, usage } from '../../terminal/failure.js';
import { DATA_OPTION, settingsThere } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';
import { askRemote, findRemote, REMOTE_OPTIONS, RemoteRefusal } from './remote.js';

/** How the operator's commands are told which deployment they are about. */
export const RUNS_BESIDE =
  'It runs at the host of the server, beside it, with the settings that the server has: DATABASE_URL, or --data for the ' +
  'PostgreSQL in the data folder, as the user of the server or root. ';

/** The same of what can be done from afar as well. */
export const RUNS_ANYWHERE = `${RUNS_BESIDE}From elsewhere, --server and --key name the listener of its operators. `;

export const LEDGER_ARGUMENT = { name: 'ledger', about: 'handle or luid' };

export const ADMIN_OPTIONS = [DATA_OPTION];

/** Options of what can be done from afar as well. */
export const OPERATOR_OPTIONS = [...ADMIN_OPTIONS, ...REMOTE_OPTIONS];

/** @throws Failure for an option that is not a whole number from 1 to `most` */
export function wholeNumberOf(invocation: Invocation, name: string, most: number): number {
  const text = invocation.get(name) ?? '';
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw usage(`--${name} is a whole number from 1 to ${most}, not '${text}'.`);
  return number;
}

/** Has an operation of the server's operator done: beside the server at this machine, or by the one that the call names. @throws Failure */
export function askOperator<Name extends AdminOperationName>(
  invocation: Invocation,
  name: Name,
  input: InputOf<Name>,
): Promise<OutputOf<Name>> {
  return asOperator(async () => {
    const remote = await findRemote(invocation);
    if (remote !== undefined) return (await askRemote(remote, name, input)) as OutputOf<Name>;
    const { runBeside } = await loadAdmin();
    return (await runBeside(settingsThere(invocation), invocation.surroundings.now, name, input)) as OutputOf<Name>;
  });
}

/** How the command ends for each reason of a refusal, at this machine or over HTTP. */
const EXITS: Readonly<Record<RefusalReason, Exit>> = {
  'wrong-call': 'usage',
  refused: 'refused',
  unusable: 'local',
  unreachable: 'unreachable',
  unauthorized: 'refused',
};

/** What the server's parts refuse is told in their words; another error is one of this machine. */
export async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'Failure') throw error;
    if (error instanceof RemoteRefusal) throw failureOfRefusal(error.refusal);
    const refusal = (await loadAdmin()).refusalOf(error);
    throw refusal === undefined ? localFailure(error.message) : failureOfRefusal(refusal);
  }
}

function failureOfRefusal({ reason, detail, advice }: AdminRefusal): Failure {
  // A server of a later release may have others.
  return new Failure(EXITS[reason] ?? 'refused', detail, { advice });
}
