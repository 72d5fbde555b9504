import { LedgerError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { createWeightedSemaphore } from '../../src/base/weighted-semaphore.js';
import { type AdmissionBounds, createAdmission } from '../../src/store/queries/admission.js';

const BOUNDS: AdmissionBounds = {
  concurrency: 3,
  atATime: 2,
  slow: 1,
  waste: 1_000,
  halfLife: 10_000,
  waiting: 5,
  patience: 10_000,
  ledgers: 100,
  queue: 8,
};

/** Time that only passes when it is told to, and lists that end when they are told to. */
function scene(bounds: Partial<AdmissionBounds> = {}) {
  const clock = { now: 0 };
  const admit = createAdmission({ ...BOUNDS, ...bounds }, () => clock.now);
  const running: { name: string; end(): void; giveUp(): void }[] = [];
  const asked = (ledger: string, name = ledger, abandoned?: () => Error | undefined) => {
    const run = (lane: string) => () =>
      new Promise<string>((resolve, reject) => {
        const one = { name: `${name} ${lane}`, end: () => leave(() => resolve(name)), giveUp: () => leave(tooLate) };
        const leave = (settle: () => void) => {
          running.splice(running.indexOf(one), 1);
          settle();
        };
        const tooLate = () => reject(new LedgerError('api.request-timeout', 'too late'));
        running.push(one);
      });
    return admit(ledger, run('quick'), run('slow'), abandoned);
  };
  const names = () => running.map(({ name }) => name);
  const pass = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends all that run now after so many milliseconds, or gives them up. */
  const after = async (milliseconds: number, how: 'end' | 'giveUp') => {
    clock.now += milliseconds;
    for (const one of [...running]) one[how]();
    await pass();
  };
  return { clock, asked, names, after, pass, running };
}

describe('turns of lists', () => {
  it('as many at a time as may run, fewer of one ledger', async () => {
    const { asked, names, after } = scene();
    const all = [asked('a', 'a1'), asked('a', 'a2'), asked('a', 'a3'), asked('b'), asked('c')];
    expect(names()).toEqual(['a1 quick', 'a2 quick', 'b quick']);
    await after(10, 'end');
    expect(names()).toEqual(['c quick', 'a3 quick']);
    await after(10, 'end');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b', 'c']);
  });

  it('those of ledgers that used least come first, and what was used is forgotten', async () => {
    const { asked, names, after, clock } = scene({ concurrency: 1 });
    void asked('much');
    await after(400, 'end');
    void asked('little');
    await after(100, 'end');
    void asked('now');
    for (const ledger of ['much', 'new', 'little']) void asked(ledger);
    await after(1, 'end');
    // Of a new one it is not known yet how little it takes.
    expect(names()).toEqual(['new quick']);
    await after(1, 'end');
    expect(names()).toEqual(['little quick']);
    await after(1, 'end');
    expect(names()).toEqual(['much quick']);
    await after(1, 'end');
    clock.now += 20 * BOUNDS.halfLife;
    for (let times = 0; times < 10; times += 1) {
      void asked('much');
      await after(1, 'end');
    }
    void asked('now');
    for (const ledger of ['new', 'little', 'much']) void asked(ledger);
    await after(0, 'end');
    expect(names()).toEqual(['much quick']);
  });

  it('what is not found in a moment is looked for in a lane of its own, and the others go on', async () => {
    const { asked, names, after, running } = scene();
    const slow = ['a', 'b', 'c'].map((ledger) => asked(ledger));
    await after(500, 'giveUp');
    expect(names()).toEqual(['a quick', 'b quick', 'c quick']);
    await after(500, 'giveUp');
    expect(names()).toEqual(['a slow']);
    const small = [asked('d', 'd1'), asked('d', 'd2'), asked('d', 'd3')];
    expect(names()).toEqual(['a slow', 'd1 quick', 'd2 quick']);
    running[1]?.end();
    running[1]?.end();
    await after(10, 'end');
    await after(10, 'end');
    await after(10, 'end');
    await after(10, 'end');
    expect(await Promise.all([...slow, ...small])).toEqual(['a', 'b', 'c', 'd1', 'd2', 'd3']);
  });

  it.each([
    [BOUNDS.waste - 1, 'a1 quick', 'a2 quick'],
    [BOUNDS.waste, 'a1 slow', 'a2 slow'],
  ])('whose lists were given up for %i milliseconds: %s', async (wasted, again, runs) => {
    const { asked, names, after } = scene();
    const first = asked('a', 'a1');
    await after(wasted, 'giveUp');
    expect(names()).toEqual([again]);
    await after(0, 'end');
    await first;
    void asked('a', 'a2');
    expect(names()).toEqual([runs]);
  });

  it('a slow list that takes too long even so is refused as it was', async () => {
    const { asked, after } = scene();
    const list = asked('a');
    await after(1_000, 'giveUp');
    await Promise.all([expect(list).rejects.toMatchObject({ reason: 'api.request-timeout' }), after(5_000, 'giveUp')]);
  });

  it(`${BOUNDS.waiting} of one ledger may wait and ${BOUNDS.queue} of all, and not one more`, async () => {
    const { asked } = scene();
    for (let count = 0; count < BOUNDS.atATime + BOUNDS.waiting; count += 1) void asked('a');
    await expect(asked('a')).rejects.toBeInstanceOf(Overloaded);
    void asked('b');
    for (let count = BOUNDS.waiting; count < BOUNDS.queue; count += 1) void asked('b');
    await expect(asked('c')).rejects.toBeInstanceOf(Overloaded);
  });

  it('one that nobody waits for any more is not looked for, and its turn is the next one’s', async () => {
    const { asked, names, after } = scene({ concurrency: 1 });
    const gone: { error?: Error } = {};
    const first = asked('a');
    const waiting = asked('b', 'b', () => gone.error);
    const last = asked('c');
    gone.error = new Error('Nobody waits.');
    const refused = expect(waiting).rejects.toBe(gone.error);
    await after(10, 'end');
    await refused;
    expect(names()).toEqual(['c quick']);
    await after(10, 'end');
    expect(await Promise.all([first, last])).toEqual(['a', 'c']);
  });

  it(`none waits longer than ${BOUNDS.patience} milliseconds`, async () => {
    const { asked, after, names } = scene({ concurrency: 1 });
    void asked('a');
    const inTime = asked('b');
    await after(BOUNDS.patience, 'end');
    expect(names()).toEqual(['b quick']);
    const late = asked('c');
    await Promise.all([
      expect(late).rejects.toMatchObject({ reason: 'api.request-timeout' }),
      after(BOUNDS.patience + 1, 'end'),
    ]);
    expect(await inTime).toBe('b');
  });
});

describe('room for answers', () => {
  const bounds = { process: 24, ledger: 8, waiting: 2, patience: 1_000 };

  function room() {
    const clock = { now: 0 };
    const take = createWeightedSemaphore(bounds, () => clock.now);
    const inside: { name: string; leave(): void }[] = [];
    const enter = (ledger: string, bytes: number, name = ledger) =>
      take(ledger, bytes, () => new Promise<string>((resolve) => inside.push({ name, leave: () => resolve(name) })));
    const names = () => inside.map(({ name }) => name);
    const pass = () => new Promise((resolve) => setImmediate(resolve));
    return { clock, enter, inside, names, pass };
  }

  it('of one ledger: as many bytes as there are, and not one more', async () => {
    const { enter, names, pass, inside } = room();
    void enter('a', 5, 'a1');
    void enter('a', 3, 'a2');
    void enter('a', 1, 'a3');
    void enter('b', 8);
    await pass();
    expect(names()).toEqual(['a1', 'a2', 'b']);
    inside[1]?.leave();
    await pass();
    expect(names()).toEqual(['a1', 'a2', 'b', 'a3']);
  });

  it('of the process; ledgers take turns', async () => {
    const { enter, names, pass, inside } = room();
    for (const ledger of ['a', 'b', 'c']) void enter(ledger, 8);
    void enter('d', 8, 'd1');
    void enter('d', 8, 'd2');
    void enter('e', 1);
    await pass();
    expect(names()).toEqual(['a', 'b', 'c']);
    inside[0]?.leave();
    await pass();
    expect(names()).toEqual(['a', 'b', 'c', 'd1']);
    inside[1]?.leave();
    await pass();
    expect(names()).toEqual(['a', 'b', 'c', 'd1', 'e']);
  });

  it('what is larger than the room of a ledger takes all of that; what fails gives it back', async () => {
    const { enter, pass, names, inside } = room();
    void enter('a', 100, 'large');
    void enter('a', 1, 'small');
    await pass();
    expect(names()).toEqual(['large']);
    inside[0]?.leave();
    await pass();
    expect(names()).toEqual(['large', 'small']);
    const take = createWeightedSemaphore(bounds);
    await expect(take('a', 8, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await take('a', 8, async () => 'free')).toBe('free');
  });

  it(`${bounds.waiting} of one ledger wait, not one more, and none longer than ${bounds.patience} milliseconds`, async () => {
    const { enter, pass, inside, clock, names } = room();
    void enter('a', 8, 'first');
    const inTime = enter('a', 8, 'second');
    const late = enter('a', 8, 'third');
    await expect(enter('a', 8)).rejects.toBeInstanceOf(Overloaded);
    clock.now += bounds.patience;
    inside[0]?.leave();
    await pass();
    expect(names()).toEqual(['first', 'second']);
    clock.now += 1;
    inside[1]?.leave();
    expect(await inTime).toBe('second');
    await expect(late).rejects.toMatchObject({ reason: 'api.request-timeout' });
  });

  it('counts those no more that have waited too long', async () => {
    const { enter, clock } = room();
    void enter('a', 8, 'first');
    const late = [enter('a', 8), enter('a', 8)];
    clock.now += bounds.patience + 1;
    const next = enter('a', 8);
    for (const one of late) await expect(one).rejects.toMatchObject({ reason: 'api.request-timeout' });
    await expect(Promise.race([next, Promise.resolve('waits')])).resolves.toBe('waits');
  });
});
