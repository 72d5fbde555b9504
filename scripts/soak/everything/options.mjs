import { number, parseOptions, text, whole } from '../../../bench/parse-options.mjs';

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
  const { minutes, ...others } = parseOptions(args, {
    minutes: number(60, 0.1, 7 * 24 * 60),
    rate: whole(100, 1, 10_000),
    ledgers: whole(2, 1, 20),
    workers: whole(3, 2, 64),
    out: text('soak-everything'),
  });
  return { ...others, seconds: minutes * 60 };
}
