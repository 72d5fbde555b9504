import { LATE } from './seconds.mjs';

/** Part of the transfers that may be late. */
export const ALLOWED = 0.01;

/** Part of the rate that must have been reached. */
const REACHED = 0.99;

/** What keeps a run from holding the bar; empty when it holds. */
export function failures({ rate, load, events }) {
  const reached = load.count / load.seconds;
  return [
    ...(load.refused > 0 ? [`${load.refused} refused, the first with ${load.first}`] : []),
    ...(load.late > load.count * ALLOWED
      ? [`${percent(load.late / load.count)} of the transfers took more than ${LATE} ms`]
      : []),
    ...(events.late > events.count * ALLOWED
      ? [`${percent(events.late / events.count)} of the events took more than ${LATE} ms`]
      : []),
    ...(reached < rate * REACHED ? [`${reached.toFixed(0)} of ${rate} transfers a second were answered`] : []),
    ...(events.received < load.count - load.refused
      ? [`${load.count - load.refused - events.received} completed transfers were not delivered in time`]
      : []),
  ];
}

/** One line about a run. */
export function lineOf(run) {
  const { rate, load, events } = run;
  const failed = failures(run);
  const told = `${rate}/s for ${Math.round(load.seconds)} s: answered p50 ${ms(load.p50)}, p99 ${ms(load.p99)}, greatest ${ms(load.greatest)}; `;
  const delivered = `delivered p50 ${ms(events.p50)}, p99 ${ms(events.p99)}; `;
  return `${told}${delivered}${failed.length === 0 ? 'holds the bar' : `misses the bar: ${failed.join('; ')}`}`;
}

/**
 * The report of a run, as Markdown.
 *
 * @param run `{ rate, load, events, processor, disk, workers }`
 * @param conditions `[[name, value]]`
 * @param tries lines about the search, if there was one
 */
export function reportOf(run, conditions, tries) {
  const { load, events, processor, disk, workers, rate } = run;
  const failed = failures(run);
  const each = (name) => `${((processor[name] * 1_000) / load.count).toFixed(0)} µs`;
  const share = (name) => percent(processor[name] / (load.seconds * 1_000));
  const times = (of) => `${ms(of.p50)} | ${ms(of.p95)} | ${ms(of.p99)} | ${ms(of.greatest)}`;
  return `# ${failed.length === 0 ? 'Holds' : 'Misses'} the bar: ${rate} transfers a second for ${Math.round(load.seconds / 60)} minutes

The bar: at most ${percent(ALLOWED)} of the transfers take more than ${LATE / 1_000} s, at most as many of their events, and none is refused.
${failed.map((one) => `\n- ${one}`).join('')}

Each transfer is signed by one of 10 banks, judged by access rules, moved between two of 1,000 wallets that only their bank may spend
from, countersigned in twelve proofs, stored with fsync in eight versions, sealed into the log, and sent to a webhook once it is
completed.

![Rates, times and processor time](report.svg)

| | Transfers | p50 | p95 | p99 | Greatest | Over ${LATE / 1_000} s |
|---|---|---|---|---|---|---|
| due to answered | ${load.count} | ${times(load)} | ${percent(load.late / load.count)} |
| signed to received by the webhook | ${events.received} | ${times(events)} | ${percent(events.late / Math.max(1, events.count))} |

${events.again} events came again. Reached: ${(load.count / load.seconds).toFixed(1)} transfers a second.

| Processor time | Of one processor | A transfer |
|---|---|---|
| server, ${workers} process${workers === 1 ? '' : 'es'} | ${share('server')} | ${each('server')} |
| PostgreSQL | ${share('database')} | ${each('database')} |
| load | ${share('load')} | ${each('load')} |
| receiver | ${share('receiver')} | ${each('receiver')} |

| Disk | A transfer | In all |
|---|---|---|
| database | ${(disk.database / load.count / 1_000).toFixed(1)} kB | ${(disk.database / 1e6).toFixed(0)} MB |
| write-ahead log | ${(disk.wal / load.count / 1_000).toFixed(1)} kB | ${(disk.wal / 1e6).toFixed(0)} MB |

The largest process of the server held ${processor.memory.toFixed(0)} MiB at the end. Afterwards every transfer was completed, none was
missing, no balance differed from the sum of its movements, and no money was made or lost.

| Conditions | |
|---|---|
${conditions.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}
${tries.length === 0 ? '' : `\nThe search for the rate:\n\n${tries.map((line) => `- ${line}`).join('\n')}\n`}`;
}

function ms(value) {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

function percent(share) {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 2 : 0)}%`;
}
