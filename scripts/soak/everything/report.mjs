/** Seconds from one look at the times to the next. */
export const LOOK = 10;

const NAMES = {
  primary: 'first process',
  spared: 'worker that is never killed',
  workers: 'other workers together',
  postgres: 'PostgreSQL, all processes',
  buffers: 'shared buffers of PostgreSQL',
};

/**
 * The report of a run, as Markdown.
 *
 * @param run `{ options, conditions, tenants, load, traffic, findings, breaking, verdicts, drain, looks, seconds, changes }`; `drain` and
 *   `changes` are undefined where it did not come so far
 */
export function reportOf(run) {
  const { options, conditions, load, traffic, findings, breaking, drain, seconds, changes } = run;
  const isRight = findings.count === 0;
  const events = eventsOf(run.tenants);
  const of = (name) => run.tenants.reduce((sum, tenant) => sum + tenant[name].all.length, 0);
  const times = Object.entries(load.times).map(([name, sort]) => [name, sort.all()]);
  return `# ${isRight ? 'As it has to be' : 'NOT as it has to be'}: everything at once for ${minutes(seconds)}

${options.rate} operations a second over ${options.ledgers} ledgers, ${options.workers} processes of the server.

| | |
|---|---|
| operations | ${load.begun} of ${load.due} that were due, in ${traffic.sent} requests; ${changes ?? 'unknown'} changes in the database |
| acknowledged | ${of('wallets')} wallets, ${run.tenants.reduce((sum, { wallets }) => sum + wallets.updates.size, 0)} updates of them, ${of('payments')} payments |
| events | ${events.distinct} delivered, ${events.again} of them again, ${events.refused} refused |
| until all was delivered | ${drain ? `${drain.seconds.toFixed(0)} s after the load, ${drain.retries} retries asked for` : 'unknown'} |
| wrong | ${findings.count} |

## What was broken

| | Times |
|---|---|
${rows(Object.entries(breaking.counts))}

## What failed for that, and was sent again

| Cause and answer | Requests |
|---|---|
${rows([...findings.expected].sort())}

## What must not be

${isRight ? 'Nothing.' : `| | Times |\n|---|---|\n${rows([...findings.wrong])}\n\n${findings.details.map((line) => `    ${line}`).join('\n')}`}

## Times from due to answered

![Times, memory and operations](report.svg)

| | Operations | p50 | p95 | p99 | Greatest |
|---|---|---|---|---|---|
${times.map(([name, all]) => `| ${name} | ${all.count} | ${[all.p50, all.p95, all.p99, all.greatest].map(ms).join(' | ')} |`).join('\n')}

A request that was not answered is sent again, and counts from when it was first due. The times of \`delivered\` are from the signature of a payment until a
receiver is told that it is final.

## Memory

The proportional set size without PostgreSQL's shared buffers, in the second half of the load: MiB, and the slope of a line through the samples.

| | Mean | Greatest | Slope, MiB an hour | |
|---|---|---|---|---|
${run.verdicts.map(lineOf).join('\n')}

| Conditions | |
|---|---|
${conditions.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}
`;
}

function lineOf({ name, mean, greatest, slope, verdict = '' }) {
  return `| ${NAMES[name]} | ${mean.toFixed(1)} | ${greatest.toFixed(1)} | ${slope.toFixed(1)} | ${verdict} |`;
}

/** Events that came, came again and were refused. */
export function eventsOf(tenants) {
  const receivers = tenants.flatMap(({ effects }) => Object.values(effects).map(({ receiver }) => receiver));
  const sum = (of) => receivers.reduce((all, one) => all + of(one), 0);
  const distinct = sum(({ seen }) => seen.size);
  return { distinct, again: sum(({ received }) => received) - distinct, refused: sum(({ refused }) => refused) };
}

/** Panels of the picture, of a value every ten seconds. */
export function panelsOf(looks, samples) {
  const line = (name, of) => ({ name, values: looks.flatMap((look) => Array(LOOK).fill(of(look))) });
  const sorts = Object.keys(looks[0]?.times ?? {});
  const every = looks.length / Math.max(1, samples.length);
  const memory = (name) => ({
    name: NAMES[name],
    values: samples.flatMap((sample) => Array(Math.max(1, Math.round(LOOK * every))).fill(sample[name])),
  });
  return [
    {
      title: 'Operations and events',
      unit: 'per second',
      lines: [line('operations', ({ operations }) => operations), line('events', ({ events }) => events)],
    },
    {
      title: 'Due to answered, p50',
      unit: 'ms',
      lines: sorts.map((sort) => line(sort, ({ times }) => times[sort].p50)),
    },
    {
      title: 'Due to answered, p99',
      unit: 'ms',
      lines: sorts.map((sort) => line(sort, ({ times }) => times[sort].p99)),
    },
    { title: 'Memory', unit: 'MiB', lines: ['primary', 'spared', 'workers', 'postgres'].map(memory) },
  ];
}

function rows(entries) {
  return entries.length === 0
    ? '| none | |'
    : entries.map(([name, count]) => `| ${name.replaceAll('|', '/')} | ${count} |`).join('\n');
}

function minutes(seconds) {
  return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}

function ms(value) {
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}
