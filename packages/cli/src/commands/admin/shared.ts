import type { Invocation } from '../../description/invocation.js';
import { localFailure, usage } from '../../terminal/failure.js';
import { DATA_OPTION } from '../archive/export.js';

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

/** What the server's parts refuse is a wrong call; all else is the machine's. */
export async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'Failure') throw error;
    throw error.name === 'AdminRefused' ? usage(error.message) : localFailure(error.message);
  }
}
