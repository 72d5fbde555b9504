import type { Json } from '@countersign/protocol';
import type { OpenIntentLine, OpenIntentsPage, RetriedIntents } from '@countersign/server/admin';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { formatAge, formatCount, parseAge } from './amounts.js';
import { askOperator, LEDGER_ARGUMENT, OPERATOR_OPTIONS, RUNS_ANYWHERE, wholeNumberOf } from './shared.js';

export const adminIntents: CliCommand = {
  path: ['admin', 'intents'],
  summary: 'List the intents of a ledger that are under way, and what they wait for',
  about:
    `${RUNS_ANYWHERE}The oldest come first. --retry has them examined at once, and repeats the calls that they wait for, each time it is used: ` +
    'a bridge answers the same call in the same way. No command ends an intent: docs/operations/tenants.md says why.',
  arguments: [LEDGER_ARGUMENT],
  options: [
    { flags: '--older-than <time>', about: 'only those at least this old, such as 90s, 30m, 1h, 2d', default: '0s' },
    { flags: '--limit <number>', about: 'how many, up to 1,000', default: '50' },
    { flags: '--retry', about: 'have those that are listed go on' },
    ...OPERATOR_OPTIONS,
  ],
  examples: [
    { call: 'countersign admin intents acme --older-than 1h', about: 'what may be stuck' },
    { call: 'countersign admin intents acme --older-than 1h --retry --yes', about: 'calls their bridges again' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const limit = wholeNumberOf(invocation, 'limit', 1_000);
    const given = invocation.get('older-than') ?? '';
    const olderThan = parseAge(given);
    if (olderThan === undefined) throw usage(`--older-than is a time such as 90s, 30m, 1h or 2d, not '${given}'.`);
    const ledger = await invocation.need('ledger');
    const isRetry = invocation.is('retry');
    const server = invocation.get('server');
    const where = server === undefined ? '' : ` at ${server}`;
    if (isRetry) await invocation.confirm(`Call the bridges of up to ${limit} intents of ${ledger}${where} again?`);
    const found: OpenIntentsPage & Partial<RetriedIntents> = await askOperator(
      invocation,
      isRetry ? 'retry-intents' : 'intents',
      { ledger, olderThan, limit },
    );
    if (output.isJson || found.intents.length > 0)
      output.result(found as unknown as Json, () =>
        found.intents.map((one) => formatIntent(one, surroundings.now())).join('\n'),
      );
    const more = found.isMore ? ', and there are more' : '';
    output.note(`${formatCount(found.intents.length, 'intent is', 'intents are')} under way${more}.`);
    if (found.resent !== undefined)
      output.done(`${formatCount(found.resent, 'call is', 'calls are')} made again within seconds.`);
  },
};

function formatIntent({ handle, luid, stage, created, expires, waitsFor, calls }: OpenIntentLine, now: number): string {
  const age = formatAge((now - Date.parse(created)) / 1_000);
  const ends = expires === null ? '' : `; expires ${expires}`;
  const lines = calls.map(({ bridge, verb, entry, status, attempts, error }) => {
    const how = status === null ? 'not queued' : `${status}, ${formatCount(attempts, 'attempt', 'attempts')}`;
    return `    ${bridge} ${verb} ${entry}: ${how}${error === null ? '' : `, ${error}`}`;
  });
  return [`${handle} (${luid}): ${stage}, created ${age} ago, waits for ${waitsFor}${ends}`, ...lines]
    .map(printable)
    .join('\n');
}
