import type { Finding } from '@countersign/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../support/seed.js';
import { verified } from '../support.js';
import { type Means, OF_CHANGES, OF_LOG } from './alterations.js';
import { Draft, publicOf } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

const ALTERATIONS = process.env.LONG_TESTS === undefined ? 20 : 1_000;

let ledger: SealedLedger;
let means: Means;
beforeAll(async () => {
  ledger = await sealedLedger();
  const random = seeded();
  means = {
    drawn: (count) => Math.floor(random() * count),
    keys: new Map([ledger.key, ledger.scene.client.key].map((key) => [publicOf(key), key])),
  };
}, 600_000);

const ofLog = (findings: readonly Finding[]) => findings.filter(({ rule }) => rule === 'log');

describe('an export whose ledger was altered by who has its key (interface/log-verifying)', () => {
  it('is told from one that was not', () => {
    const { kept, text } = ledger;
    // As many as the log was sealed while the ledger grew: fewer on a busy machine.
    expect(kept.length).toBeGreaterThan(2);
    const { told, summary } = verified(text, undefined, { checkpoints: kept });
    expect(told).toEqual([]);
    expect(summary.log).toEqual({
      origin: expect.stringMatching(/\/log\/ldg\./),
      leaves: summary.changes,
      waiting: 0,
      erased: 0,
    });
    expect(summary.checked.join()).toContain(`${kept.length} checkpoints from elsewhere: the log goes on from each.`);
    expect(verified(Draft.of(text).text()).told).toEqual([]);
  });

  it(`is found, ${ALTERATIONS} times of ${ALTERATIONS}, by itself`, () => {
    const all = Object.entries({ ...OF_CHANGES, ...OF_LOG });
    const missed: string[] = [];
    let alone = 0;
    for (let made = 0; made < ALTERATIONS; ) {
      const draft = Draft.of(ledger.text);
      const [name, alter] = all[made % all.length]!;
      if (alter(draft, means) === undefined) continue;
      made += 1;
      const { findings } = verified(draft.text());
      if (ofLog(findings).length === 0) missed.push(name);
      if (ofLog(findings).length === findings.length) alone += 1;
    }
    expect(missed).toEqual([]);
    // Proofs do not show what who has the keys has made.
    expect(alone).toBeGreaterThan(ALTERATIONS / 3);
  }, 3_600_000);

  it(`is found, ${ALTERATIONS} times of ${ALTERATIONS}, by an older checkpoint where the log was made anew`, async () => {
    const all = Object.entries(OF_CHANGES);
    const missed: string[] = [];
    for (let made = 0; made < ALTERATIONS; ) {
      const draft = Draft.of(ledger.text);
      const [name, alter] = all[made % all.length]!;
      const first = alter(draft, means);
      // A record that was added behind the end is what a log may well do.
      if (first === undefined || (name === 'copies a record' && !before(draft))) continue;
      made += 1;
      await draft.reseal(ledger.key);
      const later = ledger.kept.filter(({ size }) => size > first);
      const held = later[means.drawn(later.length)] ?? ledger.kept.at(-1)!;
      const { findings } = verified(draft.text(), undefined, { checkpoints: [held] });
      if (ofLog(findings).length === 0) missed.push(`${name}, leaf ${first}, held ${held.size}`);
    }
    expect(missed).toEqual([]);
  }, 3_600_000);

  it('is not found without one, where the log was made anew: that is why they are kept', async () => {
    for (const [name, alter] of Object.entries(OF_CHANGES)) {
      if (name === 'moves a leaf' || name === 'swaps two leaves') continue;
      const draft = Draft.of(ledger.text);
      while (alter(draft, means) === undefined) {}
      await draft.reseal(ledger.key);
      const { findings, summary } = verified(draft.text());
      expect(ofLog(findings), name).toEqual([]);
      expect(summary.unchecked.join()).toContain(
        'Whether changes, or whole records, were left out, and the log made anew',
      );
    }
  });
});

/** Puts the leaf that was added last before all others. */
function before(draft: Draft): boolean {
  for (const line of draft.leaves) line.leaf.index += 1;
  draft.leaves.at(-1)!.leaf.index = 0;
  return true;
}
