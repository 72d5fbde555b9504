import { describe, expect, it } from 'vitest';
import { gather, Overloaded } from '../../src/base/gather.js';

/** Runs that end when told to, and what each of them took. */
function heldRuns() {
  const runs: { items: readonly string[]; end: () => void }[] = [];
  const run = (items: readonly string[]) =>
    new Promise<string[]>((resolve) => {
      runs.push({ items, end: () => resolve(items.map((item) => item.toUpperCase())) });
    });
  return { runs, run };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('gather', () => {
  it('takes together what arrives in one turn, and then what arrived during a run', async () => {
    const { runs, run } = heldRuns();
    const one = gather(run, { batch: 3, queue: 10, concurrency: 1 });
    const first = [one('a'), one('b')];
    await turn();
    const second = [one('c'), one('d'), one('e'), one('f')];
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([['a', 'b']]);
    runs[0]?.end();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await turn();
    runs[1]?.end();
    await turn();
    runs[2]?.end();
    expect(await Promise.all(second)).toEqual(['C', 'D', 'E', 'F']);
    expect(runs.map(({ items }) => items)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
  });

  it('keeps apart what must not share a run, one run of a kind at a time, and lets the kinds take turns', async () => {
    const { runs, run } = heldRuns();
    const one = gather(run, { batch: 2, queue: 100, concurrency: 2, apart: (item: string) => item[0] });
    const asked = ['a1', 'a2', 'a3', 'b1', 'c1'].map(one);
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([['a1', 'a2'], ['b1']]);
    runs[1]?.end();
    await turn();
    // The rest of a waits for its own run; c, which is free, goes first.
    expect(runs.map(({ items }) => items).slice(2)).toEqual([['c1']]);
    runs[0]?.end();
    await turn();
    expect(runs.map(({ items }) => items).slice(3)).toEqual([['a3']]);
    runs[2]?.end();
    runs[3]?.end();
    expect(await Promise.all(asked)).toEqual(['A1', 'A2', 'A3', 'B1', 'C1']);
  });

  it('runs an item before its caller goes on, where it is prompt', async () => {
    const { runs, run } = heldRuns();
    const one = gather(run, { batch: 1, queue: 10, concurrency: 2, isPrompt: true, apart: (item: string) => item[0] });
    const asked = ['a1', 'a2', 'b1', 'c1'].map(one);
    expect(runs.map(({ items }) => items)).toEqual([['a1'], ['b1']]);
    for (let at = 0; at < 4; at += 1) {
      runs[at]?.end();
      await turn();
    }
    expect(await Promise.all(asked)).toEqual(['A1', 'A2', 'B1', 'C1']);
    expect(runs.map(({ items }) => items[0])).toEqual(['a1', 'b1', 'a2', 'c1']);
  });

  it('refuses the item beyond its queue and takes new ones when there is room', async () => {
    const { runs, run } = heldRuns();
    const one = gather(run, { batch: 1, queue: 2, concurrency: 1 });
    const running = one('a');
    await turn();
    const waiting = [one('b'), one('c')];
    await expect(one('d')).rejects.toBeInstanceOf(Overloaded);
    for (let index = 0; index < 3; index += 1) {
      runs[index]?.end();
      await turn();
    }
    expect(await Promise.all([running, ...waiting])).toEqual(['A', 'B', 'C']);
  });

  it('rejects an item alone for its own error, and all of a run that throws', async () => {
    const one = gather<string, string>(
      async (items) => {
        if (items.includes('throw')) throw new Error('all');
        return items.map((item) => (item === 'bad' ? new Error('alone') : item));
      },
      { batch: 10, queue: 10, concurrency: 1 },
    );
    const [good, bad] = await Promise.allSettled([one('good'), one('bad')]);
    expect(good).toMatchObject({ status: 'fulfilled', value: 'good' });
    expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'alone' } });
    const thrown = await Promise.allSettled([one('throw'), one('with')]);
    expect(thrown.map((one) => one.status)).toEqual(['rejected', 'rejected']);
    expect(await one('after')).toBe('after');
  });

  it('runs as many of a kind at a time as it is told', async () => {
    const { runs, run } = heldRuns();
    const bounds = { batch: 1, queue: 100, concurrency: 3, each: 2, apart: (item: string) => item[0] };
    const one = gather(run, bounds);
    const asked = ['a1', 'a2', 'a3', 'b1', 'b2'].map(one);
    await turn();
    expect(runs.map(({ items }) => items)).toEqual([['a1'], ['b1'], ['a2']]);
    for (const held of runs.slice(0, 3)) held.end();
    await turn();
    expect(runs.slice(3).map(({ items }) => items)).toEqual([['b2'], ['a3']]);
    for (const held of runs.slice(3)) held.end();
    expect(await Promise.all(asked)).toEqual(['A1', 'A2', 'A3', 'B1', 'B2']);
  });

  it('lets a thousand kinds have their one turn each while another has work without end', async () => {
    const order: string[] = [];
    const run = async (items: readonly string[]) => {
      order.push(items[0]!);
      await turn();
      return items;
    };
    const one = gather(run, { batch: 1, queue: 10_000, concurrency: 2, apart: (item: string) => item.split('-')[0] });
    const asked = Array.from({ length: 2_000 }, (_, index) => one(`busy-${index}`));
    asked.push(...Array.from({ length: 1_000 }, (_, index) => one(`${index}-only`)));
    await Promise.all(asked);
    // The busy kind had its turns like the others.
    const last = order.findLastIndex((item) => item.endsWith('-only'));
    expect(order.slice(0, last + 1).filter((item) => item.startsWith('busy-')).length).toBeLessThanOrEqual(2);
  });

  it.each([1, 2])('runs no more than %s of a kind at a time, also where slots are free', async (each) => {
    const { runs, run } = heldRuns();
    const one = gather(run, { batch: 1, queue: 100, concurrency: 5, each, apart: (item: string) => item[0] });
    const asked = ['a1', 'a2', 'a3'].map(one);
    for (let ended = 0; ended < asked.length; ended += 1) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      expect(runs).toHaveLength(Math.min(asked.length, ended + each));
      runs[ended]?.end();
    }
    expect(await Promise.all(asked)).toEqual(['A1', 'A2', 'A3']);
  });
});
