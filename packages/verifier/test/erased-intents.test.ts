import { expect, it } from 'vitest';
import { ErasedIntents } from '../src/erased/intents.js';
import type { EntryLine } from '../src/lines.js';

const ENTRY: EntryLine = {
  line: 'entry',
  wallet: '$wlt.-one',
  symbol: 'usd',
  version: 1,
  intent: '$int.-one',
  change: 2,
  availableBy: Number.MAX_SAFE_INTEGER,
  reservedBy: 0,
  available: Number.MAX_SAFE_INTEGER,
  moment: '2026-01-01T00:00:00.000Z',
};

it('movements of erased intents are summed to the last unit, of a symbol of any name', () => {
  const intents = new ErasedIntents();
  intents.add(ENTRY.intent);
  for (const symbol of ['__proto__', 'usd', 'usd', 'usd']) intents.addEntry({ ...ENTRY, symbol });
  expect(Object.entries(intents.summary!.net)).toEqual([
    ['__proto__', Number.MAX_SAFE_INTEGER],
    ['usd', '27021597764222973'],
  ]);
});
