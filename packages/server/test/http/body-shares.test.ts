import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BodyMemory, type HeldMemory } from '../../src/http/bodies/memory.js';

const bounds = { process: 40, sender: 10, ledger: 10, waiting: 2, together: 3, patience: 60_000 };
const REFUSED = { reason: 'api.rate-limit-exceeded', retryAfter: 1 };

/** The memory, and who has some of it. */
function scene(of: Partial<typeof bounds> = {}) {
  const memory = new BodyMemory({ ...bounds, ...of });
  const inside = new Map<string, HeldMemory>();
  const take = (name: string, sender: string, ledger: number, bytes: number) => {
    const gone = new AbortController();
    const taking = memory.take({ sender, ledger, bytes, gone: gone.signal });
    taking.then(
      (held) => inside.set(name, held),
      () => {},
    );
    return { gone, taking };
  };
  const names = async () => {
    await turnOfLoop();
    return [...inside.keys()];
  };
  /** One whose caller is known to be allowed. */
  const granted = async (name: string, sender: string, ledger: number, bytes: number) => {
    const held = await take(name, sender, ledger, bytes).taking;
    held.grant();
    return held;
  };
  return { take, names, granted, inside };
}

describe('the memory of a body', () => {
  it('is its sender’s until its caller is known to be allowed: as many bytes as there are, and not one more', async () => {
    const { take, names, inside } = scene();
    take('a1', 'a', 1, 4);
    take('a2', 'a', 2, 6);
    take('a3', 'a', 3, 1);
    take('b', 'b', 1, 10);
    expect(await names()).toEqual(['a1', 'a2', 'b']);
    inside.get('a1')!.grant();
    expect(await names()).toEqual(['a1', 'a2', 'b', 'a3']);
  });

  it('is the ledger’s from then on: one whose answers do not come is in the way of no other at the same proxy', async () => {
    const { take, names, granted, inside } = scene();
    await granted('full', 'proxy', 1, 10);
    take('same', 'proxy', 1, 1);
    take('other', 'proxy', 2, 10);
    expect(await names()).toEqual(['full', 'other']);
    inside.get('full')!.release();
    inside.get('other')!.release();
    expect(await names()).toEqual(['full', 'other', 'same']);
  });

  it('is refused when the ledger has none left by then; strangers use up none of it', async () => {
    const { take, granted } = scene();
    const stranger = await take('stranger', 'a', 1, 10).taking;
    const one = await granted('one', 'b', 1, 10);
    expect(() => stranger.grant()).toThrow(expect.objectContaining(REFUSED));
    one.release();
    stranger.grant();
    stranger.release();
    await granted('two', 'b', 1, 10);
  });

  it('is one of the process; senders take turns', async () => {
    const { take, names, inside } = scene({ process: 20 });
    for (const [name, sender] of [
      ['a', 'a'],
      ['b', 'b'],
      ['c1', 'c'],
      ['c2', 'c'],
      ['d', 'd'],
    ] as const) {
      take(name, sender, 1, 10);
    }
    expect(await names()).toEqual(['a', 'b']);
    inside.get('a')!.release();
    inside.get('a')!.release();
    expect(await names()).toEqual(['a', 'b', 'c1']);
    inside.get('c1')!.release();
    expect(await names()).toEqual(['a', 'b', 'c1', 'd']);
  });
});

describe('bodies that wait', () => {
  it('are so many of one sender for one ledger, and for all, and not one more', async () => {
    const { take } = scene();
    await take('first', 'a', 1, 10).taking;
    const one = take('one', 'a', 1, 10);
    take('two', 'a', 1, 10);
    await expect(take('beyond', 'a', 1, 1).taking).rejects.toMatchObject(REFUSED);
    take('three', 'a', 2, 10);
    await expect(take('beyond', 'a', 2, 1).taking).rejects.toMatchObject(REFUSED);
    one.gone.abort();
    await expect(one.taking).rejects.toMatchObject(REFUSED);
    // One that has gone counts no more, and another may wait in its place.
    const late = take('late', 'a', 2, 10);
    await expect(take('beyond', 'a', 3, 1).taking).rejects.toMatchObject(REFUSED);
    late.gone.abort();
    await expect(late.taking).rejects.toMatchObject(REFUSED);
  });

  it('are refused when they waited too long, and count no more', async () => {
    const { take, granted, names, inside } = scene({ patience: 1 });
    await granted('first', 'a', 1, 10);
    for (let round = 0; round < 3; round += 1) {
      const waiting = [take('late', 'a', 1, 1), take('late', 'a', 1, 1)];
      for (const { taking } of waiting) await expect(taking).rejects.toMatchObject(REFUSED);
    }
    inside.get('first')!.release();
    await take('next', 'a', 1, 10).taking;
    expect(await names()).toEqual(['first', 'next']);
  });

  it('go on when one before them has gone', async () => {
    const { take, names } = scene();
    await take('first', 'a', 1, 6).taking;
    const large = take('large', 'a', 1, 10);
    const small = take('small', 'a', 1, 4);
    expect(await names()).toEqual(['first']);
    large.gone.abort();
    await expect(large.taking).rejects.toMatchObject(REFUSED);
    await small.taking;
  });
});
