import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { askOperator, OPERATOR_OPTIONS, RUNS_ANYWHERE, wholeNumberOf } from './shared.js';

export const adminDoctor: CliCommand = {
  path: ['admin', 'doctor'],
  summary: 'Examine a deployment: settings, database, clock, disk, keys, log, records',
  about:
    `${RUNS_ANYWHERE}MASTER_KEY, or the key file in the data folder, is needed to open keys and to verify records. It changes nothing. ` +
    'The exit code is 1 when something is not fine, and 3 when the database does not answer.',
  options: [
    {
      flags: '--sample <number>',
      about: 'how many ledgers and records are examined, chosen at random',
      default: '200',
    },
    ...OPERATOR_OPTIONS,
  ],
  examples: [{ call: 'countersign admin doctor', about: 'each line says what is wrong, and what to do' }],
  async run(invocation) {
    const { output } = invocation;
    const sample = wholeNumberOf(invocation, 'sample', 1_000_000);
    const found = await askOperator(invocation, 'doctor', { sample });
    const ill = found.filter(({ isFine }) => !isFine);
    output.result({ ok: ill.length === 0, found } as unknown as Json, () =>
      found
        .map(({ part, isFine, text, advice }) => {
          const line = `${isFine ? '✓' : '✗'} ${part.padEnd(12)} ${printable(text)}`;
          return advice === undefined ? line : `${line}\n    ${printable(`Do: ${advice}.`)}`;
        })
        .join('\n'),
    );
    const exit = ill.some(({ isUnreachable }) => isUnreachable) ? 'unreachable' : 'refused';
    if (ill.length > 0)
      throw new Failure(exit, `${ill.length} of ${found.length} parts ${ill.length === 1 ? 'is' : 'are'} not fine.`);
    output.done('All parts are fine.');
  },
};
