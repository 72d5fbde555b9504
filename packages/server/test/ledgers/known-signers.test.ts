import type { Json } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { SignerFacts } from '../../src/access/caller.js';
import { weighJson } from '../../src/base/json-weight.js';
import { KnownSigners } from '../../src/ledgers/known-signers.js';
import { stateLimits } from '../../src/ledgers/state-limits.js';

function signer(name: string, custom: Json = {}): SignerFacts {
  return { handle: name, public: name, circles: [], custom: { t: custom } };
}

/** Of so many signers, set one after the other for two ledgers, those that are known in the end. */
function keptOf(count: number, custom: Json): SignerFacts[] {
  const ledgers = [new KnownSigners(), new KnownSigners()];
  const keys = Array.from({ length: count }, (_, n) => `k${n}`);
  for (const key of keys) for (const known of ledgers) known.set(key, signer(key, structuredClone(custom)));
  return ledgers.flatMap((known) => keys.flatMap((key) => known.get(key) ?? []));
}

describe('the signers that a process remembers', () => {
  it.each<[string, number, Json]>([
    ['long ones', 60, 'x'.repeat(1_000_000)],
    ['ones of many values', 20, Array.from({ length: 45_000 }, () => ({}))],
    ['small ones', 30_000, 'x'],
  ])('are bounded together, over all ledgers, by the memory they take: %s', (_, count, custom) => {
    const kept = keptOf(count, custom);
    const taken = kept.reduce((sum, one) => sum + weighJson(one), 0);
    expect(taken).toBeLessThanOrEqual(stateLimits.signers);
    expect(taken).toBeGreaterThan(stateLimits.signers / 3);
    expect(kept.length).toBeLessThan(2 * count);
  });

  it('are left out when one alone takes more', () => {
    const known = new KnownSigners();
    const room = stateLimits.signers - 300 - weighJson(signer('k', ''));
    known.set('k', signer('k', 'x'.repeat(room)));
    expect(known.has('k')).toBe(true);
    known.set('k', signer('k', 'x'.repeat(room + 1)));
    expect(known.has('k')).toBe(false);
  });

  it('are of one state of one ledger each', () => {
    const [one, other] = [new KnownSigners(), new KnownSigners()];
    one.set('k', signer('s'));
    other.set('k', undefined);
    expect([one.get('k')?.handle, other.get('k'), other.has('k'), other.has('l')]).toEqual([
      's',
      undefined,
      true,
      false,
    ]);
    one.delete('k');
    expect([one.has('k'), other.has('k')]).toEqual([false, true]);
  });
});
