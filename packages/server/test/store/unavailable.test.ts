import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { isUnavailable } from '../../src/store/unavailable.js';

it('a socket that is not there means that the database is away, a file that is not there does not', async () => {
  const path = '/not-there/.s.PGSQL.5432';
  expect(isUnavailable((await once(connect(path), 'error').catch((error) => [error]))[0])).toBe(true);
  expect(isUnavailable(await readFile(path).catch((error) => error))).toBe(false);
});
