import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { loadAdmin } from '../archive/server-parts.js';
import { asOperator } from './shared.js';

export const adminCheckDatabase: CliCommand = {
  path: ['admin', 'check-database'],
  summary: 'Try on a database what the server needs of it, before it is used',
  about:
    'It runs with the DATABASE_URL that the server is to have. The database may be empty; what is made in it is temporary. The exit code ' +
    'is 1 when something is not there that the server cannot do without, and 3 when the database does not answer.',
  examples: [
    { call: 'countersign admin check-database', about: 'each line is a need: whether it is there, and what it is for' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const { runCheckDatabase } = await loadAdmin();
    const found = await asOperator(() => runCheckDatabase(surroundings.env));
    const missing = found.filter(({ isThere, isOptional }) => !isThere && !isOptional);
    output.result({ ok: missing.length === 0, found } as unknown as Json, () =>
      found
        .map(({ need, why, isThere, isOptional, error }) => {
          const line = `${isThere ? '✓' : isOptional ? '–' : '✗'} ${need} (${why})`;
          return error === undefined ? line : `${line}\n    ${printable(error)}`;
        })
        .join('\n'),
    );
    if (missing.length > 0)
      throw new Failure(
        'refused',
        `${missing.length} of ${found.length} needs ${missing.length === 1 ? 'is' : 'are'} not there.`,
      );
    output.done('The server can use this database.');
  },
};
