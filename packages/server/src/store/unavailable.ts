import pg from 'pg';
import { DiskFull } from './disk-space.js';
import { WrongDatabase } from './epoch-guard.js';

/** Connection lost, out of resources, stopped by an operator or a timeout, failed disk: whatever is asked. */
const STATES = /^(08|53|57|58)/;

/** How the network or the driver says that the database is out of reach. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/;

/** Whether the database can do nothing at all at this moment, as opposed to having refused what it was asked. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return STATES.test(error.code ?? '');
  if (error instanceof DiskFull) return true;
  if (error instanceof WrongDatabase) return true;
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (code !== undefined && CODES.has(code)) || MESSAGES.test(error.message);
}
