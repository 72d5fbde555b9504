import type { Refusal, RefusalReason } from '@countersign/server/admin';
import type { Invocation } from '../../description/invocation.js';
import { type Exit, Failure, localFailure, usage } from '../../terminal/failure.js';
import { DATA_OPTION } from '../archive/export.js';
import { loadAdmin } from '../archive/server-parts.js';

/** How the operator's commands are told which deployment they are about. */
export const BESIDE =
  'It runs at the host of the server, beside it, with the settings that the server has: DATABASE_URL, or --data for the ' +
  'PostgreSQL in the data folder, as the user of the server or root. ';

export const LEDGER_ARGUMENT = { name: 'ledger', about: 'handle or luid' };

export const ADMIN_OPTIONS = [DATA_OPTION];

/** @throws Failure for an option that is not a whole number from 1 to `most` */
export function numberOf(invocation: Invocation, name: string, most: number): number {
  const text = invocation.get(name) ?? '';
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw usage(`--${name} is a whole number from 1 to ${most}, not '${text}'.`);
  return number;
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
    const refusal = (await loadAdmin()).refusalOf(error);
    throw refusal === undefined ? localFailure(error.message) : failureOfRefusal(refusal);
  }
}

function failureOfRefusal({ reason, detail, advice }: Refusal): Failure {
  return new Failure(EXITS[reason], detail, { advice });
}
