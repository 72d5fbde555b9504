import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { insertJobs, jobWorker, killProcess, type ProcessOptions, QUICK, startProcess, withWork } from './work.js';

const HOUR = 3_600_000;

const work = withWork();
const children: ChildProcess[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map(killProcess));
});

function start(name: string, more: Partial<ProcessOptions> & { every?: number }): ChildProcess {
  const { run: _, ...worker } = jobWorker(async () => {}, { every: more.every ?? 50 });
  const child = startProcess({ url: work.current.url, name, worker, bounds: QUICK, mode: 'hold', ...more });
  children.push(child);
  return child;
}

const runs = async (condition = 'true') =>
  (
    await work.current.pool.query(
      `select process, id, ended is null as open from run where ${condition} order by began`,
    )
  ).rows;

describe.skipIf(process.platform === 'win32')('processes', () => {
  it('take over from one that was killed, as soon as its lease has ended and not before', async () => {
    const { pool } = work.current;
    await insertJobs(work.current, 1, ['only']);
    const bounds = { ...QUICK, lease: 5_000, beat: 500 };
    const killed = start('killed', { bounds });
    await eventually(async () => expect(await runs()).toEqual([{ process: 'killed', id: 'only', open: true }]));
    // It looks once in an hour: what makes it look again is when the lease ends.
    start('other', { bounds, every: HOUR });
    // The lease was renewed, so it is no longer the one of the start.
    const { rows: first } = await pool.query('select until from lease');
    await eventually(async () => {
      expect((await pool.query('select from lease where until > $1', [first[0].until])).rows).toHaveLength(1);
    });
    await killProcess(killed);
    const { rows: left } = await pool.query('select holder, until from lease');
    expect(left[0].holder).toBe('killed');
    await eventually(async () => expect(await runs(`process = 'other'`)).toHaveLength(1));
    const { rows } = await pool.query(
      `select r.began > $1 as "inTime", l.holder, l.failures from run r, lease l where r.process = 'other'`,
      [left[0].until],
    );
    expect(rows).toEqual([{ inTime: true, holder: 'other', failures: 1 }]);
  });

  it('never run one unit at once while leases hold, and all run', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const ledger of [1, 2]) await insertJobs(work.current, ledger, ids);
    const bounds = { ...QUICK, lease: HOUR };
    for (const name of ['one', 'two', 'three']) start(name, { bounds, mode: 'tick', every: 10 });
    // Each unit was run by several, again and again.
    await eventually(async () => {
      const { rows } = await work.current.pool.query(
        `select from run group by ledger_id, id having count(*) >= 20 and count(distinct process) >= 2`,
      );
      expect(rows).toHaveLength(12);
    });
    const { rows } = await work.current.pool.query(
      `select a.process, b.process from run a join run b using (ledger_id, id)
       where a.ctid < b.ctid and a.began < coalesce(b.ended, 'infinity') and b.began < coalesce(a.ended, 'infinity')`,
    );
    expect(rows).toEqual([]);
  });

  it('hand over at once when they are asked to stop', async () => {
    await insertJobs(work.current, 1, ['only']);
    const bounds = { ...QUICK, lease: HOUR, drain: 20, grace: 30_000 };
    const first = start('first', { bounds });
    await eventually(async () => expect(await runs()).toHaveLength(1));
    start('second', { bounds });
    const exit = once(first, 'exit');
    first.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
    await eventually(async () => {
      expect(await runs()).toEqual([
        { process: 'first', id: 'only', open: false },
        { process: 'second', id: 'only', open: true },
      ]);
    });
  });
});
