import { setImmediate as turn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { createJournal } from '../../src/journal/journal.js';
import { journalLimits } from '../../src/journal/journal-limits.js';
import type { Ledger } from '../../src/ledgers/ledger.js';

/** A journal over a store that notes the size of each batch, by ledger. */
function journalOver(batches: [ledger: number, entries: number][]) {
  let storing = 0;
  const insert = async (ledger: number, { length }: readonly unknown[]) => {
    storing += 1;
    expect(storing).toBe(1);
    await turn();
    storing -= 1;
    batches.push([ledger, length]);
  };
  const store = { journal: { insert, trim: async () => 0 }, quotas: { hasRoomForRefusals: async () => true } };
  const runtime = { now: () => Date.parse('2026-11-27T03:04:11Z'), random: (bytes: number) => new Uint8Array(bytes) };
  const metrics = { registry: new Registry() };
  const deps = { store, runtime, metrics, suite: native, logger: { warn: expect.fail } };
  const journal = createJournal(deps as unknown as Parameters<typeof createJournal>[0]);
  const result = { status: 201, moment: '2026-11-27T03:04:11.014Z' };
  const write = { record: 'wallet', action: 'create', signer: 'alice', isStored: true, params: {}, result };
  return {
    journal,
    /** Those that were left out. */
    async dropped(): Promise<number> {
      const counted = await metrics.registry.getSingleMetric('countersign_journal_entries_total')!.get();
      return counted.values.find(({ labels }) => labels.outcome === 'dropped')?.value ?? 0;
    },
    add(ledger: number, entries: number) {
      const of = { id: ledger, handle: `l${ledger}`, system: { stored: () => ({ result: '' }) } } as unknown as Ledger;
      for (let one = 0; one < entries; one += 1) journal.add(of, write);
    },
  };
}

it('entries of journals are stored without a pause while there are whole batches, in turns between ledgers', async () => {
  const batches: [number, number][] = [];
  const { journal, add, dropped } = journalOver(batches);
  const { batch, waiting } = journalLimits;
  const most = waiting.stored;
  add(1, most);
  add(2, batch + 1);
  for (let turns = 0; turns < 40; turns += 1) await turn();
  expect(batches.slice(0, 5)).toEqual([
    // Of the first ledger alone: nothing of the other waits yet.
    [1, batch],
    [1, batch],
    [2, batch],
    [1, batch],
    [2, 1],
  ]);
  // More than may wait, within one pause.
  add(1, most);
  for (let turns = 0; turns < 40; turns += 1) await turn();
  const stored = batches.reduce((sum, [, entries]) => sum + entries, 0);
  expect(stored).toBe(2 * most + batch + 1);
  expect(await dropped()).toBe(0);
  await journal.stop();
});
