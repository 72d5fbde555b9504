import { parseArgs } from 'node:util';
import { whole } from '../../../bench/whole.mjs';

export const usage = `npm run soak:server -- everything [options]

Writes, reads, lists, moves money and delivers events at an even rate, while worker processes are killed, the database is
restarted and killed, and receivers and banks are down; then checks that nothing is lost.

  --minutes M       length of the load (60), from 0.1
  --rate N          operations a second of all ledgers together (100)
  --ledgers N       ledgers, each with a bank of its own (2)
  --workers N       processes of the server (3), of which one is never killed: its memory is judged
  --out DIR         where report.md, report.svg and server.log are written (soak-everything)
`;

/**
 * The options of a run.
 *
 * @throws Error with what is wrong
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string', default: '60' },
      rate: { type: 'string', default: '100' },
      ledgers: { type: 'string', default: '2' },
      workers: { type: 'string', default: '3' },
      out: { type: 'string', default: 'soak-everything' },
      help: { type: 'boolean', default: false },
    },
  });
  const seconds = Number(values.minutes) * 60;
  if (!(seconds >= 6 && seconds <= 7 * 24 * 3_600)) throw new Error('--minutes must be from 0.1 to 10080');
  return {
    help: values.help,
    seconds,
    rate: whole(values, 'rate', 1, 10_000),
    ledgers: whole(values, 'ledgers', 1, 20),
    workers: whole(values, 'workers', 2, 64),
    out: values.out,
  };
}
