import { isRefusal } from '@countersign/client';
import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { nameMemberOf, type Operations, type SignedRecord } from './kind.js';
import { filterNames, filterOf, LISTING } from './listing.js';

/** Kinds that can be watched: those that have a list of their own in the ledger. */
const WATCHED = DESCRIPTION.filter(({ parent, record }) => parent === undefined && record !== 'ledger');
/** Records that are looked at in one look; what changed last comes first. */
const LOOK_SIZE = 500;
/** Versions of records that are remembered. */
const MOST_SEEN = 50_000;

export const watchCommand: CliCommand = {
  path: ['watch'],
  summary: 'Show records as they change',
  about:
    'Asks the ledger for what changed last, again and again, until Ctrl-C. Several changes of one record between two looks ' +
    'show as one; its history has them all. A drop is shown if the record was among the 500 changed last.',
  arguments: [{ name: 'kind', about: 'kind of record', choices: WATCHED.map(({ record }) => record) }],
  options: [
    ...LISTING.filter(({ flags }) => flags.startsWith('--filter')),
    { flags: '--interval <seconds>', about: 'time between two looks', default: '2' },
    { flags: '--since', about: 'also show what is there already' },
    { flags: '--count <number>', about: 'end after this many changes' },
  ],
  connects: true,
  examples: [{ call: 'countersign watch intent --json', about: 'a line of JSON for each change' }],
  async run(invocation) {
    const record = await invocation.need('kind');
    const kind = WATCHED.find((one) => one.record === record);
    if (kind === undefined) throw usage(`'${record}' is not a kind that can be watched.`);
    const seconds = parsePositive(await invocation.need('interval'), 'interval');
    const most =
      invocation.get('count') === undefined ? undefined : parsePositive(invocation.get('count') as string, 'count');
    const filter = await filterOf(invocation, filterNames(kind, 'list'));
    const { ledger } = await openLedger(invocation);
    const operations = ledger.kind(kind.record as Parameters<typeof ledger.kind>[0]) as unknown as Operations;
    const seen = new Map<string, string>();
    let isFirst = !invocation.is('since');
    let told = 0;
    let isStopped = false;
    const stop = invocation.surroundings.stopped().then(() => {
      isStopped = true;
    });
    let before: ReadonlySet<string> = new Set();
    while (!isStopped) {
      const { changed, luids } = await findChanges(operations, filter, seen);
      const missing = [...before].filter((luid) => !luids.has(luid));
      before = luids;
      const dropped = hasDrops(kind) ? await dropsOf(operations, missing) : [];
      for (const one of [...changed.reverse(), ...dropped]) {
        if (isFirst || isStopped) continue;
        const { data, meta, luid } = one;
        invocation.output.line(one as unknown as Json, () =>
          printable([meta.moment, record, data[nameMemberOf(kind).name] ?? luid, meta.status ?? ''].join('  ')),
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
async function findChanges(operations: Operations, filter: object, seen: Map<string, string>) {
  const changed: SignedRecord[] = [];
  const luids = new Set<string>();
  let looked = 0;
  for await (const one of operations.list({ filter, limit: 100 }) as AsyncIterable<SignedRecord>) {
    const { luid, hash, meta } = one;
    const version = `${hash} ${meta.status} ${(meta.proofs as readonly unknown[]).length} ${meta.moment}`;
    if (seen.get(luid) !== version) changed.push(one);
    seen.delete(luid);
    seen.set(luid, version);
    luids.add(luid);
    looked += 1;
    if (looked === LOOK_SIZE) break;
  }
  for (const luid of seen.keys()) {
    if (seen.size <= MOST_SEEN) break;
    seen.delete(luid);
  }
  return { changed, luids };
}

function hasDrops({ operations }: KindDescription): boolean {
  return operations.some(({ name }) => name === 'drop');
}

/** The last versions of those that were dropped; others are no longer readable, or fit the filter no more. */
async function dropsOf(operations: Operations, luids: readonly string[]): Promise<SignedRecord[]> {
  const drops: SignedRecord[] = [];
  for (const luid of luids) {
    try {
      const last: SignedRecord | undefined = await operations.history(luid, { limit: 1 }).first();
      if (last?.meta.action === 'drop') drops.push(last);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return drops;
}

function parsePositive(text: string, name: string): number {
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) <= 0) throw usage(`--${name} is a number above 0.`);
  return Number(text);
}
