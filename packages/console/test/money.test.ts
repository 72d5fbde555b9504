import type { Signed } from '@countersign/client';
import type { ProvenIntent } from '@countersign/verifier/intent';
import { describe, expect, it } from 'vitest';
import type { Flow } from '../src/money/flows.js';
import { layOut } from '../src/money/flows-layout.js';
import { expiryOf, stateOf } from '../src/money/intent.js';

const MOMENT = '2026-11-22T18:36:33.000Z';

function intent(status: string, data: object = {}): Signed {
  const meta = { status, moment: MOMENT, proofs: [] };
  return { luid: '$int.1', hash: '', data, meta } as unknown as Signed;
}

function proven(sides: readonly ('debit' | 'credit')[], more: Partial<ProvenIntent> = {}): ProvenIntent {
  const entries = sides.map((side) => {
    return { handle: `${side}-1`, side, wallet: 'acc', symbol: 'usd', amount: 1, bridge: 'bank', claim: 0 };
  });
  return { steps: [], entries, booked: [], isReserved: true, status: 'pending', faults: [], ...more };
}

const report = (handle: string, status: string): ProvenIntent['steps'] => [
  { step: 'other', proofs: [{ custom: { handle, status } } as never] },
];

describe('what an intent waits for', () => {
  it.each([
    ['accepted', intent('pending'), proven([], { isReserved: false }), []],
    ['waiting', intent('pending'), proven(['debit'], { isReserved: false }), []],
    ['debits', intent('pending'), proven(['debit', 'credit']), ['bank']],
    ['credits', intent('pending'), proven(['debit', 'credit'], { steps: report('debit-1', 'prepared') }), ['bank']],
    ['credits', intent('pending', { origin: 'i-1' }), proven(['credit'], { isReserved: false }), ['bank']],
    ['held', intent('prepared', { config: { commit: 'manual' } }), proven(['debit']), []],
    ['prepared', intent('prepared'), proven(['debit']), []],
    ['committing', intent('committed'), proven(['debit']), ['bank']],
    ['committing', intent('committed'), proven(['debit'], { steps: report('debit-1', 'committed') }), []],
    ['aborting', intent('aborted'), proven(['debit']), ['bank']],
    ['completed', intent('completed'), proven(['debit']), []],
  ])('is told by its status and its proofs: %s', (state, record, facts, bridges) => {
    expect(stateOf(record, facts)).toEqual({ state, bridges });
  });

  it('ends for one that is pending when it expires, as the ledger is configured', () => {
    const minutes = (config: object) => {
      return (expiryOf(intent('pending'), intent('', { config }))! - Date.parse(MOMENT)) / 60_000;
    };
    expect([minutes({}), minutes({ 'intent.expiryThresholdMinutes': 5 })]).toEqual([60, 5]);
    expect(expiryOf(intent('prepared'), intent(''))).toBeUndefined();
  });
});

describe('the picture of flows', () => {
  it('draws all that was paid on both sides, wallets beyond the greatest as one', () => {
    const flows: Flow[] = Array.from({ length: 30 }, (_, at) => {
      return {
        from: `payer-${at}`,
        to: at === 0 ? undefined : 'shop',
        amount: BigInt(2 ** 53) - BigInt(at),
        claims: 1,
      };
    });
    const total = flows.reduce((sum, { amount }) => sum + amount, 0n);
    const { payers, payees, bands } = layOut(flows, total, 300);
    expect([payers.length, payers.at(-1)?.others, payees.length]).toEqual([9, 22, 2]);
    for (const drawn of [payers, payees, bands]) {
      expect((drawn as readonly { amount: bigint }[]).reduce((sum, { amount }) => sum + amount, 0n)).toBe(total);
    }
    for (const { from, startTop, thickness } of bands) {
      expect(startTop).toBeGreaterThanOrEqual(from.top - 0.001);
      expect(startTop + thickness).toBeLessThanOrEqual(from.top + from.height + 1);
    }
  });
});
