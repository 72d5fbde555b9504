import pg from 'pg';
import { expect, it } from 'vitest';
import { explainError } from '../../src/store/queries/reach.js';

it('a statement that took too long is told apart from a database out of reach', () => {
  const message = 'canceling statement due to statement timeout';
  const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), { code: '57014' });
  const told = explainError(error, 'postgres://ledger@db.example/ledger', false) as Error;
  expect(told.message).toBe(
    `The database at db.example:5432 (DATABASE_URL) answers, but has cancelled a statement (${message}): it took too long, so try again when there is less to do`,
  );
});
