import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { loadAdmin } from '../archive/server-parts.js';
import { asOperator } from './shared.js';

export const adminCheckDatabase: CliCommand = {
  path: ['admin', 'check-database'],
  summary: 'Check that a database has what the server requires',
  about:
    'It checks the database of DATABASE_URL, before the server uses it. The database may have no tables; what is made in it is temporary. ' +
    'The exit code is 1 when a requirement is not met that the server cannot do without, and 3 when the database does not answer.',
  examples: [
    {
      call: 'countersign admin check-database',
      about: 'each line is a requirement: whether it is met, and what it is for',
    },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const { runCheckDatabase } = await loadAdmin();
    const found = await asOperator(() => runCheckDatabase(surroundings.env));
    const unmet = found.filter(({ isMet, isOptional }) => !isMet && !isOptional);
    output.result({ ok: unmet.length === 0, found } as unknown as Json, () =>
      found
        .map(({ requirement, why, isMet, isOptional, error }) => {
          const line = `${isMet ? '✓' : isOptional ? '–' : '✗'} ${requirement} (${why})`;
          return error === undefined ? line : `${line}\n    ${printable(error)}`;
        })
        .join('\n'),
    );
    if (unmet.length > 0)
      throw new Failure(
        'refused',
        `${unmet.length} of ${found.length} requirements that were checked ${unmet.length === 1 ? 'is' : 'are'} not met.`,
      );
    output.done(
      'Every check that the server depends on passed. docs/operations/other-databases.md tells what is not checked.',
    );
  },
};
