import pg from 'pg';
import { MasterKeyMissing } from '../keys/keyring.js';
import { WrongDatabase } from './epoch-guard.js';
import { WritesRefused } from './writes-refused.js';

/** SQLSTATE classes: connection lost, out of resources, stopped by an operator or a timeout, failed disk. */
const UNAVAILABLE_STATES = /^(08|53|57|58)/;

/** The SQLSTATE of a write that was sent to a server which takes none: the next connection leads to another. */
export const READ_ONLY_STATE = '25006';

/** Codes by which the network or the driver reports that the database is out of reach. */
const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** Whether the database is unavailable altogether, as opposed to having refused this statement. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError)
    return UNAVAILABLE_STATES.test(error.code ?? '') || error.code === READ_ONLY_STATE;
  if (error instanceof WritesRefused || error instanceof MasterKeyMissing) return true;
  if (error instanceof WrongDatabase) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Of the database's socket; of a file it says nothing of the database.
  if (code === 'ENOENT') return syscall === 'connect';
  return (code !== undefined && UNREACHABLE_CODES.has(code)) || MESSAGES.test(error.message);
}

/** Whether the database has refused a statement, of which it then has stored nothing. */
export function isStatementRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isUnavailable(error);
}
