import { DESCRIPTION } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { naming, type Operations, type Signed } from './kind.js';
import { filterOf, LISTING } from './listing.js';

/** Kinds that can be watched: those that have a list of their own in the ledger. */
const WATCHED = DESCRIPTION.filter(({ parent, record }) => parent === undefined && record !== 'ledger');
/** Records that are looked at in one look; what changed last comes first. */
const LOOK = 500;
/** Versions of records that are remembered. */
const REMEMBERED = 50_000;

export const watch: Command = {
  path: ['watch'],
  summary: 'Show records as they change',
  about:
    'Asks the ledger for what changed last, again and again, until Ctrl-C. Several changes of one record between two looks ' +
    'show as one; its history has them all. What drops a record is not shown.',
  arguments: [{ name: 'kind', about: 'kind of record', choices: WATCHED.map(({ record }) => record) }],
  options: [
    ...LISTING.filter(({ flags }) => flags.startsWith('--filter')),
    { flags: '--interval <seconds>', about: 'time between two looks', default: '2' },
    { flags: '--since', about: 'show what there is already, too' },
    { flags: '--count <number>', about: 'end after so many changes' },
  ],
  connects: true,
  examples: [{ call: 'countersign watch intent --json', about: 'a line of JSON for each change' }],
  async run(invocation) {
    const record = await invocation.need('kind');
    const kind = WATCHED.find((one) => one.record === record);
    if (kind === undefined) throw usage(`'${record}' is no kind to watch.`);
    const seconds = numberOf(await invocation.need('interval'), 'interval');
    const most =
      invocation.get('count') === undefined ? undefined : numberOf(invocation.get('count') as string, 'count');
    const filter = await filterOf(invocation);
    const { ledger } = await openLedger(invocation);
    const operations = ledger.kind(kind.record as Parameters<typeof ledger.kind>[0]) as unknown as Operations;
    const seen = new Map<string, string>();
    let isFirst = !invocation.is('since');
    let told = 0;
    let isStopped = false;
    const stop = invocation.surroundings.stopped().then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      for (const one of (await look(operations, filter, seen)).reverse()) {
        if (isFirst || isStopped) continue;
        const { data, meta, luid } = one;
        invocation.output.line(one as unknown as Json, () =>
          printable([meta.moment, record, data[naming(kind).name] ?? luid, meta.status ?? ''].join('  ')),
        );
        told += 1;
        if (told === most) return;
      }
      isFirst = false;
      await Promise.race([stop, new Promise((resolve) => setTimeout(resolve, seconds * 1000))]);
    }
  },
};

/** What differs from the look before. A proof that is added changes the number of proofs, and maybe the moment. */
async function look(operations: Operations, filter: object, seen: Map<string, string>): Promise<Signed[]> {
  const changed: Signed[] = [];
  let looked = 0;
  for await (const one of operations.list({ filter, limit: 100 }) as AsyncIterable<Signed>) {
    const { luid, hash, meta } = one;
    const version = `${hash} ${meta.status} ${(meta.proofs as readonly unknown[]).length} ${meta.moment}`;
    if (seen.get(luid) !== version) changed.push(one);
    seen.delete(luid);
    seen.set(luid, version);
    looked += 1;
    if (looked === LOOK) break;
  }
  for (const luid of seen.keys()) {
    if (seen.size <= REMEMBERED) break;
    seen.delete(luid);
  }
  return changed;
}

function numberOf(text: string, name: string): number {
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) <= 0) throw usage(`--${name} is a number above 0.`);
  return Number(text);
}
