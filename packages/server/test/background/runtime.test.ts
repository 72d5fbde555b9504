import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../src/background/heartbeat.js';
import { createPool } from '../../src/store/pool.js';
import { layCable } from '../store/cable.js';
import { eventually } from '../support/eventually.js';
import { aborted, finishJob, insertJobs, jobWorker, QUICK, withWork } from './work.js';

const HOUR = 3_600_000;

const work = withWork();

const leases = async () =>
  (await work.current.pool.query('select holder, failures, until > now() as held from lease order by unit')).rows;

describe('a run', () => {
  it('of a unit that was done leaves nothing behind', async () => {
    await insertJobs(work.current, 1, ['a', 'b']);
    const ran: string[] = [];
    const { value, lines } = work.start({
      workers: [
        jobWorker(async (unit) => {
          ran.push(unit.unit);
          await finishJob(work.current, unit);
        }),
      ],
    });
    await eventually(async () => expect(await value('countersign_background_runs_total', { name: 'job' })).toBe(2));
    await eventually(async () => expect(await leases()).toEqual([]));
    expect(ran.sort()).toEqual(['a', 'b']);
    expect(lines).toEqual([]);
    expect(await value('countersign_background_runs_total', { name: 'job', outcome: 'done' })).toBe(2);
  });

  it('rests for as long as its worker says', async () => {
    let runs = 0;
    const lags: (number | undefined)[] = [];
    const due = `select 0::bigint, '', null::timestamptz`;
    const { background, value } = work.start({
      workers: [
        jobWorker(
          async () => {
            // A later look that finds nothing due says that there is none.
            lags.push(await value('countersign_background_lag_seconds', { name: 'resting' }));
            runs += 1;
          },
          { name: 'resting', due, rest: HOUR },
        ),
        other(),
      ],
    });
    await eventually(async () => expect(await leases()).toEqual([{ holder: null, failures: 0, held: true }]));
    background.hint('resting');
    await looked(background);
    expect(runs).toBe(1);
    // The time is the database's: there it has passed.
    await work.current.pool.query(`update lease set until = now() - interval '5 seconds'`);
    background.hint('resting');
    await eventually(() => expect(runs).toBe(2));
    expect(lags[0]).toBe(0);
    expect(lags[1]).toBeGreaterThanOrEqual(5);
  });

  it('that takes too long is aborted, and has failed', async () => {
    await insertJobs(work.current, 1, ['slow']);
    let first = true;
    const { lines } = work.start({
      workers: [
        jobWorker(
          async (unit, signal) => {
            if (first) {
              first = false;
              await aborted(signal);
              throw new Error('not what is told');
            }
            await finishJob(work.current, unit);
          },
          { timeout: 20 },
        ),
      ],
    });
    await eventually(async () => expect((await work.current.pool.query('select from job')).rows).toEqual([]));
    expect(lines[0]).toMatchObject({ name: 'job', step: 'run', err: { message: 'The run took longer than 20 ms.' } });
  });
});

describe('a lease', () => {
  it('is renewed while the work runs', async () => {
    await insertJobs(work.current, 1, ['long']);
    const { pool } = work.current;
    let end = () => {};
    work.start({
      workers: [
        jobWorker(async (unit) => {
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          await finishJob(work.current, unit);
        }),
      ],
    });
    const until = async () => (await pool.query<{ until: Date }>('select until from lease')).rows[0]!.until;
    const first = await eventually(until);
    await eventually(async () => expect((await until()).getTime()).toBeGreaterThan(first.getTime()));
    end();
    await eventually(async () => expect(await leases()).toEqual([]));
  });

  it('that another process has aborts the work, and is left to it', async () => {
    await insertJobs(work.current, 1, ['mine']);
    const reasons: unknown[] = [];
    const { value, lines } = work.start({
      workers: [
        jobWorker(async (_unit, signal) => {
          reasons.push(await aborted(signal));
          signal.throwIfAborted();
        }),
      ],
    });
    await eventually(async () => expect(await leases()).toHaveLength(1));
    await work.current.pool.query(`update lease set holder = 'another', until = now() + interval '1 hour'`);
    await eventually(async () => {
      expect(await value('countersign_background_runs_total', { name: 'job', outcome: 'lost' })).toBe(1);
    });
    expect(reasons).toEqual([expect.any(LeaseLost)]);
    expect(await leases()).toEqual([{ holder: 'another', failures: 0, held: true }]);
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'background work failed', name: 'job', step: 'renew', ledger: 1, unit: 'mine' }),
    ]);
    expect(await value('countersign_background_failures_total', { name: 'job', step: 'renew' })).toBe(1);
  });

  it('that cannot be renewed aborts the work when it ends', async () => {
    await insertJobs(work.current, 1, ['far']);
    const cable = await layCable(work.current.url);
    const pool = createPool({ connectionString: cable.url, max: 2 }, () => {});
    try {
      const reasons: unknown[] = [];
      const { background } = work.start({
        pool,
        bounds: { ...QUICK, lease: 1_000 },
        workers: [
          jobWorker(async (_unit, signal) => {
            await cable.cut();
            reasons.push(await aborted(signal));
            signal.throwIfAborted();
          }),
        ],
      });
      await eventually(() => expect(reasons[0]).toBeInstanceOf(LeaseLost));
      await background.stop();
    } finally {
      await pool.end();
      await cable.close();
    }
  });

  it('of a process that died is taken over when it ends, however rarely others look', async () => {
    await insertJobs(work.current, 1, ['left']);
    await work.current.pool.query(
      `insert into lease values (1, 'job', 'left', 'dead', clock_timestamp() + interval '1 second', 0)`,
    );
    const began: { failures: number; inTime: boolean }[] = [];
    const run = jobWorker(
      async (unit) => {
        const { rows } = await work.current.pool.query<{ ended: boolean }>('select clock_timestamp() > $1 as ended', [
          end,
        ]);
        began.push({ failures: unit.failures, inTime: rows[0]!.ended });
        await finishJob(work.current, unit);
      },
      { every: HOUR },
    );
    const end = (await work.current.pool.query('select until from lease')).rows[0].until;
    work.start({ workers: [run] });
    await eventually(() => expect(began).toEqual([{ failures: 1, inTime: true }]));
  });
});

describe('a failure', () => {
  it('is tried again, counted, and told in one line each', async () => {
    await insertJobs(work.current, 7, ['bad']);
    let runs = 0;
    const { value, lines } = work.start({
      workers: [
        jobWorker(async (unit) => {
          expect(unit.failures).toBe(runs);
          runs += 1;
          if (runs <= 3) throw new Error(`no ${runs}`);
          await finishJob(work.current, unit);
        }),
      ],
    });
    await eventually(async () => expect(await leases()).toEqual([]));
    await eventually(() => expect(runs).toBe(4));
    // Counted when the lease has been given back.
    const done = { name: 'job', outcome: 'done' };
    await eventually(async () => expect(await value('countersign_background_runs_total', done)).toBe(1));
    const line = (failures: number) =>
      expect.objectContaining({
        level: 50,
        msg: 'background work failed',
        name: 'job',
        step: 'run',
        ledger: 7,
        unit: 'bad',
        failures,
        err: expect.objectContaining({ message: `no ${failures}` }),
      });
    expect(lines).toEqual([line(1), line(2), line(3)]);
    expect(await value('countersign_background_failures_total', { name: 'job', step: 'run' })).toBe(3);
    expect(await value('countersign_background_runs_total', { name: 'job', outcome: 'failed' })).toBe(3);
  });

  it('makes its unit wait, in every process, and no other unit', async () => {
    await insertJobs(work.current, 1, ['bad']);
    let bad = 0;
    const worker = jobWorker(async (unit) => {
      if (unit.unit === 'bad') {
        bad += 1;
        throw new Error('no');
      }
      await finishJob(work.current, unit);
    });
    const bounds = { ...QUICK, retry: { first: HOUR, greatest: HOUR } };
    const { background } = work.start({ bounds, workers: [worker] });
    await eventually(async () => expect(await leases()).toEqual([{ holder: null, failures: 1, held: true }]));
    const second = work.start({ bounds, workers: [worker] });
    for (const one of [background, second.background]) {
      await insertJobs(work.current, 1, ['good']);
      one.hint('job');
      await eventually(async () => {
        expect((await work.current.pool.query('select id from job')).rows).toEqual([{ id: 'bad' }]);
      });
    }
    expect(bad).toBe(1);
  });

  it('to look for work is told, and tried again', async () => {
    const { lines, value } = work.start({
      workers: [jobWorker(async (unit) => finishJob(work.current, unit), { due: 'select * from later' })],
    });
    await eventually(() => expect(lines.length).toBeGreaterThan(1));
    expect(lines[0]).toMatchObject({ name: 'job', step: 'claim', failures: 1 });
    await insertJobs(work.current, 1, ['a']);
    await work.current.pool.query('create view later as select ledger_id, id, due from job');
    await eventually(async () => expect((await work.current.pool.query('select from job')).rows).toEqual([]));
    await work.current.pool.query('drop view later');
    expect(await value('countersign_background_failures_total', { name: 'job', step: 'claim' })).toBeGreaterThan(1);
  });
});

describe('units of many ledgers', () => {
  it('are claimed in bounded batches, fair over ledgers, those first that were due first', async () => {
    await insertJobs(
      work.current,
      1,
      Array.from({ length: 40 }, (_, index) => `a${String(index).padStart(2, '0')}`),
    );
    await insertJobs(work.current, 2, ['b0', 'b1', 'b2']);
    const running = new Map<string, () => void>();
    const ended: string[] = [];
    work.start({
      workers: [
        jobWorker(
          async (unit) => {
            await new Promise<void>((resolve) => running.set(unit.unit, resolve));
            running.delete(unit.unit);
            await finishJob(work.current, unit);
            ended.push(unit.unit);
          },
          { concurrency: 4, each: 3 },
        ),
      ],
    });
    const now = () => [...running.keys()].sort();
    await eventually(() => expect(now()).toEqual(['a00', 'a01', 'b0', 'b1']));
    // One ledger is done with one unit: its next one takes the lane, and not the third of the other.
    running.get('b0')!();
    await eventually(() => expect(now()).toEqual(['a00', 'a01', 'b1', 'b2']));
    running.get('b1')!();
    await eventually(() => expect(now()).toEqual(['a00', 'a01', 'a02', 'b2']));
    running.get('b2')!();
    // All slots but one: one ledger does not take them all.
    await eventually(() => expect(ended).toContain('b2'));
    await insertJobs(work.current, 3, ['c']);
    await eventually(() => expect(now()).toEqual(['a00', 'a01', 'a02', 'c']));
    for (let most = 0; ended.length < 44; ) {
      most = Math.max(most, [...running.keys()].filter((unit) => unit.startsWith('a')).length);
      expect(most).toBeLessThanOrEqual(3);
      for (const end of running.values()) end();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });

  it('may be one for each ledger, which does a bounded piece and goes on', async () => {
    for (const ledger of [1, 2, 3]) await insertJobs(work.current, ledger, ['1', '2', '3', '4', '5']);
    const pieces: number[] = [];
    work.start({
      workers: [
        jobWorker(
          async ({ ledger, unit }) => {
            expect(unit).toBe('');
            pieces.push(ledger);
            await work.current.pool.query(
              'delete from job where ledger_id = $1 and id in (select id from job where ledger_id = $1 limit 2)',
              [ledger],
            );
          },
          { due: `select ledger_id, '', min(due) from job group by ledger_id`, concurrency: 2, each: 1, every: HOUR },
        ),
      ],
    });
    await eventually(() => expect([...pieces].sort()).toEqual([1, 1, 1, 2, 2, 2, 3, 3, 3]));
    await eventually(async () => expect(await leases()).toEqual([]));
  });
});

describe('work of a process that an operator drains', () => {
  it('is left to others, until that is undone', async () => {
    const by: string[] = [];
    const start = (name: string) =>
      work.start({
        workers: [
          jobWorker(async (unit) => {
            by.push(name);
            await finishJob(work.current, unit);
          }),
        ],
      }).background;
    const [one, two] = [start('one'), start('two')];
    for (const [drained, other, name] of [
      [one, two, 'two'],
      [two, one, 'one'],
    ] as const) {
      by.length = 0;
      drained.turned(true);
      other.turned(false);
      await eventually(() => expect(drained.isBusy()).toBe(false));
      const ids = Array.from({ length: 20 }, (_, at) => `${name}-${at}`);
      await insertJobs(work.current, 1, ids);
      drained.hint('job');
      await eventually(() => expect(by).toHaveLength(ids.length));
      expect(new Set(by)).toEqual(new Set([name]));
    }
  });
});

describe('a look that loses what it chose to another process', () => {
  it('is followed by another one, which finds what is free', async () => {
    const { pool } = work.current;
    await insertJobs(work.current, 1, ['a', 'b']);
    await pool.query(
      `insert into lease values (1, 'job', 'a', null, '-infinity', 0), (1, 'job', 'b', null, '-infinity', 0)`,
    );
    const taking = await pool.connect();
    try {
      await taking.query(
        `begin; update lease set holder = 'other', until = now() + interval '1 hour' where unit = 'a'`,
      );
      const running: string[] = [];
      const { value } = work.start({
        workers: [
          jobWorker(
            async ({ unit }, signal) => {
              running.push(unit);
              await aborted(signal);
            },
            { every: HOUR, concurrency: 1, each: 1 },
          ),
        ],
        bounds: { ...QUICK, drain: 1 },
      });
      await eventually(async () => {
        expect(await value('countersign_background_lag_seconds', { name: 'job' })).toBeGreaterThan(0);
      });
      expect(running).toEqual([]);
      await taking.query('commit');
      await eventually(() => expect(running).toEqual(['b']));
    } finally {
      taking.release(true);
    }
  });
});

/** A worker whose runs show that others have been looked for: each look is done in turn. */
function other() {
  return jobWorker(async (unit) => finishJob(work.current, unit), { name: 'other' });
}

/** Resolves when the runtime has looked for all that was asked of it before. */
async function looked(background: { hint(name: string): void }): Promise<void> {
  for (const id of ['look', 'look again']) {
    await insertJobs(work.current, 99, [id]);
    background.hint('other');
    await eventually(async () => {
      expect((await work.current.pool.query('select from job where ledger_id = 99')).rows).toEqual([]);
    });
  }
}
