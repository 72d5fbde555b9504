import { randomBytes } from 'node:crypto';
import type { FileOptions } from '@countersign/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { verified } from '../support.js';
import { Draft, type DraftLine, signed } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

let ledger: SealedLedger;
beforeAll(async () => {
  ledger = await sealedLedger();
}, 600_000);

/** What the verifier tells of the log. */
function told(draft: Draft, options: Partial<FileOptions> = {}): string[] {
  const { findings } = verified(draft.text(), undefined, options);
  return findings.filter(({ rule }) => rule === 'log').map(({ detail }) => detail);
}

const draftOf = () => Draft.of(ledger.text);
const oneOf = (draft: Draft, is: (line: DraftLine) => boolean): DraftLine => draft.leaves.find(is);

describe('a log that an operator began anew (interface/log-verifying#what-an-export-holds)', () => {
  async function restarted(more: object = {}): Promise<Draft> {
    const draft = draftOf();
    const { log, ledger: named } = draft.header;
    for (const line of draft.leaves) line.leaf.index += 1;
    const salt = randomBytes(16).toString('base64');
    const place = { kind: 'log', luid: named.luid, change: 2, action: 'restart' };
    const leaf = { line: 'leaf', ...place, text: log.checkpoint, index: 0, salt, ...more };
    draft.lines.splice(1, 0, leaf);
    draft.header.log = { ...log, origin: `${log.origin}/2`, generation: 2 };
    await draft.reseal(ledger.key);
    return draft;
  }

  it('names the checkpoint that it goes on from in its first leaf', async () => {
    expect(verified((await restarted()).text()).told).toEqual([]);
    expect(told(await restarted({ action: 'begin' }))).toEqual(["is a leaf 'begin' that a log does not have at 0"]);
    expect(told(await restarted({ change: 3 }))).toHaveLength(1);
    expect(told(await restarted({ luid: '$ldg.other' }))).toHaveLength(1);
    expect(told(await restarted({ kind: 'wallet' }))).toHaveLength(1);
    const text = await signed({ secret: new Uint8Array(32), public: '' }, 'example.org', []);
    expect(told(await restarted({ text }))).toEqual([
      'the checkpoint that the first leaf names is not to be taken: no known key signed the note',
    ]);
    const draft = await restarted();
    draft.lines.splice(1, 1);
    await draft.reseal(ledger.key);
    expect(told(draft)).toEqual(['has a log of generation 2, and no leaf that says what came before it']);
    const first = await restarted({ change: 1 });
    Object.assign(first.header.log, { generation: 1, origin: draftOf().header.log.origin });
    await first.reseal(ledger.key);
    expect(told(first)).toContain("is a leaf 'restart' that a log does not have at 0");
    const twice = await restarted();
    const gone = oneOf(twice, ({ kind, luid }) => kind === 'symbol' && twice.changesOf(luid).length === 1);
    twice.remove(twice.lines.filter(({ luid }) => luid === gone.luid));
    twice.header.changes += 1;
    twice.lines.splice(2, 0, { ...twice.lines[1], index: 0.5 });
    await twice.reseal(ledger.key);
    expect(told(twice)).toEqual(["is a leaf 'restart' that a log does not have at 1"]);
  });

  it('has an origin that says the same generation', async () => {
    for (const more of [{ origin: draftOf().header.log.origin }, { generation: 3 }, { generation: 1 }]) {
      const draft = await restarted();
      Object.assign(draft.header.log, more);
      await draft.reseal(ledger.key);
      expect(told(draft)).toContain('has a log that has the origin of another generation');
    }
  });

  it('goes on from nothing, where nothing was shown', async () => {
    expect(told(await restarted({ text: '' }))).toEqual([]);
    const [one] = ledger.kept;
    expect(told(await restarted({ text: '' }), { checkpoints: [one!] })).toEqual([
      `began anew as if nothing had been shown, and ${one!.name} is of ${one!.size} leaves`,
    ]);
  });

  it('names a checkpoint of the same log, and of a generation before', async () => {
    const { origin } = draftOf().header.log;
    for (const other of [`${origin}/2`, `${origin}/3`, `${origin}x`]) {
      const text = await signed(ledger.key, other, draftOf().hashes());
      expect(told(await restarted({ text }))).toEqual([
        `names ${other} as the log before, which is not one of ${origin}/2`,
      ]);
    }
  });

  it('is held against a checkpoint of the generation before by the one that it goes on from', async () => {
    const { kept, key } = ledger;
    const last = kept.at(-1)!;
    const { origin } = draftOf().header.log;
    const hashes = draftOf().hashes();
    const same = verified((await restarted()).text(), undefined, { checkpoints: [last] });
    expect(same.told).toEqual([]);
    expect(same.summary.checked).toContain(
      '1 checkpoints of an earlier generation: this one names them as the last of that.',
    );
    const older = verified((await restarted()).text(), undefined, { checkpoints: kept.slice(0, 1) });
    expect(older.told).toEqual([]);
    expect(older.summary.checked.join()).not.toContain('goes on from each');
    expect(older.summary.unchecked.join()).toContain(
      '1 checkpoints of earlier generations: whether those went on from them tells only an export of then.',
    );
    expect(older.summary.unchecked.join()).toContain('left out, and the log made anew');
    const held = async (name: string, some: readonly Uint8Array[], by = key) =>
      told(await restarted(), { checkpoints: [{ name: 'june', text: await signed(by, name, some) }] });
    expect(await held(origin, [...hashes, hashes[0]!])).toEqual([
      `began anew from ${hashes.length} leaves of ${origin}, and june is of ${hashes.length + 1}`,
    ]);
    expect(await held(origin, [...hashes.slice(1), hashes[0]!])).toEqual([
      `began anew from another tree of ${hashes.length} leaves than june is of`,
    ]);
    expect(await held(origin, hashes, { secret: new Uint8Array(32), public: '' })).toEqual([
      'june is not to be taken: no known key signed the note',
    ]);
    const third = await restarted({ change: 3 });
    Object.assign(third.header.log, { generation: 3, origin: `${origin}/3` });
    await third.reseal(key);
    const second = { name: 'june', text: await signed(key, `${origin}/2`, hashes) };
    expect(told(third, { checkpoints: [second] })).toEqual([
      `began anew from ${origin}, and june is of ${origin}/2, which came after that`,
    ]);
  });
});
