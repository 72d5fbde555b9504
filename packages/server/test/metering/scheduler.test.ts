import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { LedgerError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { Overloaded } from '../../src/base/gather.js';
import { Scheduler } from '../../src/metering/scheduler.js';
import { type LedgerTask, turnForText } from '../../src/metering/task.js';
import { workLimits } from '../../src/metering/work-limits.js';

const work = workLimits;
const wanted = () => false;

/** A clock that stands still unless it is told to go on. */
function still() {
  let now = 0;
  return {
    clock: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe('slices that take little', () => {
  it('fill the turn of the loop, and are free together up to a bound', async () => {
    const { clock, pass } = still();
    const scheduler = new Scheduler(clock);
    const task = scheduler.task(1, wanted);
    let slices = 0;
    while (task.turn() === undefined) {
      slices += 1;
      pass(0.4);
    }
    expect(slices).toBeLessThanOrEqual(work.turn / (0.4 * work.perMillisecond) + 1);
    expect(task.charged).toBeGreaterThan(work.turn - work.free);
    await turnOfLoop();
  });

  it('cost nothing of what others do once they wait', async () => {
    const { clock, pass } = still();
    const task = new Scheduler(clock).task(1, wanted);
    task.turn();
    pass(0.1);
    await new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
    pass(50);
    task.turn();
    expect(task.charged).toBe(0);
    await turnOfLoop();
  });

  it('cost their steps, or their time where that is more', async () => {
    const { clock, pass } = still();
    const task = new Scheduler(clock).task(1, wanted);
    task.turn(30_000);
    pass(3);
    task.turn();
    expect(task.charged).toBe(30_000);
    pass(4);
    task.turn();
    expect(task.charged).toBe(70_000);
    await turnOfLoop();
  });
});

describe('turns of ledgers', () => {
  it('let a ledger straight through that has used little, and no more', () => {
    const { clock } = still();
    const scheduler = new Scheduler(clock);
    const task = scheduler.task(1, wanted);
    task.chargeUnbounded(work.turn - 1);
    expect(task.turn()).toBeUndefined();
    task.chargeUnbounded(work.burst);
    expect(task.turn()).toBeInstanceOf(Promise);
    expect(scheduler.waiting).toBe(1);
  });

  it('give it back its share as time goes by', async () => {
    const { clock, pass } = still();
    const scheduler = new Scheduler(clock);
    const task = scheduler.task(1, wanted);
    task.chargeUnbounded(work.burst + work.perMillisecond);
    await turnOfLoop();
    expect(task.turn()).toBeInstanceOf(Promise);
    await turnOfLoop();
    pass(1 / work.share + 1);
    expect(task.turn()).toBeUndefined();
  });

  it('go to the ledger that has used least, whoever came first', async () => {
    const scheduler = new Scheduler(still().clock);
    const order: string[] = [];
    const used = (name: string, ledger: number, steps: number) => {
      const task = scheduler.task(ledger, wanted);
      task.chargeUnbounded(steps);
      void task.turn()?.then(() => {
        order.push(name);
        task.chargeUnbounded(work.turn);
      });
    };
    used('much', 1, 3 * work.burst);
    used('less', 2, 2 * work.burst);
    used('nothing', 3, 0);
    await turnOfLoop();
    expect(order).toEqual(['nothing']);
    await turnOfLoop();
    expect(order).toEqual(['nothing', 'less']);
    await turnOfLoop();
    expect(order).toEqual(['nothing', 'less', 'much']);
  });

  it('are as many at a time as fit into a turn of the loop', async () => {
    const scheduler = new Scheduler(still().clock);
    let granted = 0;
    for (let i = 0; i < 10; i += 1) {
      const task = scheduler.task(1, wanted);
      task.chargeUnbounded(work.burst);
      void task.turn()?.then(() => {
        granted += 1;
        task.chargeUnbounded(work.turn / 2);
      });
    }
    expect(scheduler.waiting).toBe(10);
    await turnOfLoop();
    expect(granted).toBe(2);
  });

  it('are charged by the time that they take, up to the next one or the end of the round', async () => {
    const { clock, pass } = still();
    const scheduler = new Scheduler(clock);
    const [one, other] = [scheduler.task(1, wanted), scheduler.task(2, wanted)];
    expect(one.turn()).toBeUndefined();
    pass(5);
    expect(other.turn()).toBeUndefined();
    expect([one.charged, other.charged]).toEqual([5 * work.perMillisecond, 0]);
    pass(3);
    await turnOfLoop();
    pass(10);
    expect(one.turn()).toBeUndefined();
    expect([one.charged, other.charged]).toEqual([5 * work.perMillisecond, 3 * work.perMillisecond]);
  });

  it('are charged by their steps where these are more, and not at all for a moment', () => {
    const { clock, pass } = still();
    const task = new Scheduler(clock).task(1, wanted);
    void task.turn();
    task.spend(3 * work.perMillisecond);
    pass(1);
    void task.turn();
    expect(task.charged).toBe(3 * work.perMillisecond);
    pass(work.free / work.perMillisecond);
    void task.turn();
    expect(task.charged).toBe(3 * work.perMillisecond);
  });

  it('that were waited for are charged also for a moment', async () => {
    const { clock, pass } = still();
    const task = new Scheduler(clock).task(1, wanted);
    task.chargeUnbounded(2 * work.burst);
    await task.turn()?.then(() => pass(0.1));
    await turnOfLoop();
    expect(task.charged).toBe(2 * work.burst + 0.1 * work.perMillisecond);
  });

  it('are not waited for by more than may wait', () => {
    const scheduler = new Scheduler(still().clock);
    const task = scheduler.task(1, wanted);
    task.chargeUnbounded(2 * work.burst);
    for (let i = 0; i < workLimits.waiting; i += 1) void task.turn();
    expect(() => task.turn()).toThrow(Overloaded);
  });
});

describe('turns of senders', () => {
  /** Asks for a turn of each, and tells in which order they have it, one in each turn of the loop. */
  function orderOf(tasks: Readonly<Record<string, LedgerTask>>): string[] {
    const order: string[] = [];
    for (const [name, task] of Object.entries(tasks)) {
      void task.turn()?.then(() => {
        order.push(name);
        task.chargeUnbounded(work.turn);
      });
    }
    return order;
  }

  function used(task: LedgerTask, bursts: number): LedgerTask {
    task.chargeUnbounded(bursts * work.burst);
    return task;
  }

  it('are those of one among ledgers, however many addresses they have', async () => {
    const scheduler = new Scheduler(still().clock);
    const order = orderOf({
      first: used(scheduler.senderTask('a', 1, wanted), 2),
      second: used(scheduler.senderTask('b', 1, wanted), 2),
      ledger: used(scheduler.task(2, wanted), 3),
    });
    await turnOfLoop();
    expect(order).toEqual(['ledger']);
  });

  it('go to the sender that has used least, and of its ledgers to the one that it has named least', async () => {
    const scheduler = new Scheduler(still().clock);
    const order = orderOf({
      much: used(scheduler.senderTask('proxy', 1, wanted), 3),
      little: used(scheduler.senderTask('proxy', 2, wanted), 1),
      other: used(scheduler.senderTask('other', 1, wanted), 2),
    });
    for (let turn = 0; turn < 3; turn += 1) await turnOfLoop();
    expect(order).toEqual(['other', 'little', 'much']);
  });

  it('come in the end, however much all of them have used before', async () => {
    const scheduler = new Scheduler(still().clock);
    used(scheduler.senderTask('a', 1, wanted), 1_000);
    const order = orderOf({ sender: scheduler.senderTask('a', 1, wanted) });
    const ledger = used(scheduler.task(2, wanted), 2);
    let turns = 0;
    while (order.length === 0 && turns < 100) {
      turns += 1;
      const turn = ledger.turn()?.then(() => ledger.chargeUnbounded(work.turn));
      await turnOfLoop();
      if (order.length === 0) await turn;
    }
    expect(turns).toBeGreaterThan(1);
    expect(turns).toBeLessThan(2 * Math.ceil(work.behind / work.turn));
  });

  it('are the ledger’s once the caller is known to be allowed, as is what was charged until then', async () => {
    const scheduler = new Scheduler(still().clock);
    let isGranted = false;
    const task = scheduler.senderTask('a', 1, wanted, () => {
      isGranted = true;
    });
    used(task, 2);
    task.grant();
    expect(isGranted).toBe(true);
    await turnOfLoop();
    expect(scheduler.senderTask('a', 1, wanted).turn()).toBeUndefined();
    expect(scheduler.task(2, wanted).turn()).toBeUndefined();
    expect(scheduler.task(1, wanted).turn()).toBeInstanceOf(Promise);
    used(task, 2);
    task.grant();
    await turnOfLoop();
    expect(scheduler.senderTask('a', 1, wanted).turn()).toBeUndefined();
  });

  it('stay the sender’s where the ledger refuses', async () => {
    const scheduler = new Scheduler(still().clock);
    const task = scheduler.senderTask('a', 1, wanted, () => {
      throw new Overloaded();
    });
    used(task, 2);
    expect(() => task.grant()).toThrow(Overloaded);
    await turnOfLoop();
    expect(scheduler.task(1, wanted).turn()).toBeUndefined();
  });

  it('is charged to the ledger alone when its caller is found to be allowed in a slice that it waited for', async () => {
    const scheduler = new Scheduler(still().clock);
    const task = scheduler.senderTask('a', 1, wanted);
    task.chargeUnbounded(3 * work.burst);
    await task.turn()!.then(() => task.grant());
    await turnOfLoop();
    expect(scheduler.senderTask('a', 2, wanted).turn()).toBeUndefined();
    expect(scheduler.task(1, wanted).turn()).toBeInstanceOf(Promise);
  });
});

describe('a task', () => {
  it('ends when a slice takes more than it may', () => {
    const task = new Scheduler(still().clock).task(1, wanted);
    task.spend(work.slice);
    expect(() => task.spend(1)).toThrow(`more work to judge than the ${work.slice} steps that there may be at a time`);
  });

  it('ends when the request takes more than it may', () => {
    const task = new Scheduler(still().clock).task(1, wanted);
    task.chargeUnbounded(work.request);
    void task.turn();
    expect(() => task.spend(1)).toThrow(`the ${work.request} steps that there may be for one request`);
    expect(() => task.turn()).toThrow('auth.forbidden');
  });

  it('ends when nobody waits for it, be it that it waits itself', async () => {
    let isOver = false;
    const scheduler = new Scheduler(still().clock);
    const task = scheduler.task(1, () => isOver);
    task.chargeUnbounded(2 * work.burst);
    const refused = task.turn()?.catch((error: LedgerError) => error.reason);
    isOver = true;
    expect(await refused).toBe('api.request-timeout');
    expect(() => task.turn()).toThrow('api.request-timeout');
    task.mustFinish();
    expect(() => task.turn()).not.toThrow();
  });

  it('that begins anew has its steps again, and is refused as before when nobody waits for it', () => {
    let isOver = false;
    const task = new Scheduler(still().clock).task(1, () => isOver);
    task.chargeUnbounded(work.request);
    task.beginAnew();
    task.chargeUnbounded(work.request);
    task.turn()?.catch(() => {});
    expect(() => task.spend(1)).toThrow(`the ${work.request} steps that there may be for one request`);
    task.beginAnew();
    isOver = true;
    expect(() => task.turn()).toThrow('api.request-timeout');
  });

  it('waits for a turn before a long text, and not before short ones', () => {
    const task = new Scheduler(still().clock).task(1, wanted);
    task.chargeUnbounded(2 * work.burst);
    expect(turnForText(task, undefined, 'x'.repeat(4_096))).toBeUndefined();
    expect(turnForText(task, 'x', 'x'.repeat(4_097))).toBeInstanceOf(Promise);
  });
});
