import type { Invocation } from '../../description/invocation.js';
import { Failure, localFailure, usage } from '../../terminal/failure.js';
import { DATA_OPTION } from '../archive/export.js';
import { failureOf } from '../archive/server-parts.js';

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

/** What the server's parts refuse is a wrong call, unless another write came in between; all else is the machine's, or the database's. */
export async function asOperator<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'Failure') throw error;
    if (error.name === 'AdminRefused') throw usage(error.message);
    if (error.name === 'LedgerChanged') throw new Failure('refused', error.message);
    if ('advice' in error) throw localFailure(error.message, String(error.advice));
    throw failureOf(error);
  }
}
