import { describe, expect, it } from 'vitest';
import { createHints } from '../../src/background/hints.js';
import { eventually } from '../support/eventually.js';
import { finishJob, insertJobs, jobWorker, withWork } from './work.js';

const HOUR = 3_600_000;

const work = withWork();

const done = () => eventually(async () => expect((await work.current.pool.query('select from job')).rows).toEqual([]));

describe('a hint', () => {
  it('wakes the worker in another process, also after the connection that listens was lost', async () => {
    const database = { connectionString: work.current.url, application_name: 'listener' };
    const ran: string[] = [];
    const worker = jobWorker(
      async (unit) => {
        await finishJob(work.current, unit);
        ran.push(unit.unit);
      },
      { every: HOUR },
    );
    const { value, lines } = work.start({ database, workers: [worker] });
    const listening = async () => expect(await value('countersign_background_listening', {})).toBe(1);
    const hinting = work.start({}).background;
    await eventually(listening);
    await insertJobs(work.current, 1, ['first']);
    hinting.hint('job');
    await done();
    // Told twice while it is away, and once when it is back; the last of these is what counts.
    await work.current.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'listener' and datname = current_database()`,
    );
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ level: 40, msg: 'hints for background work are not heard' });
    await eventually(listening);
    await insertJobs(work.current, 1, ['second']);
    hinting.hint('job');
    await done();
    expect(ran).toEqual(['first', 'second']);
  });

  it('that is lost costs time only: what is due is found by looking', async () => {
    let runs = 0;
    const { value } = work.start({
      // Nobody listens there.
      database: { host: '127.0.0.1', port: 1 },
      workers: [
        jobWorker(async (unit) => {
          runs += 1;
          await finishJob(work.current, unit);
        }),
      ],
    });
    for (const id of ['a', 'b']) {
      await insertJobs(work.current, 1, [id]);
      await done();
    }
    expect(runs).toBe(2);
    expect(await value('countersign_background_listening', {})).toBe(0);
  });

  it('makes its own process look at once', async () => {
    const worker = jobWorker(async (unit) => finishJob(work.current, unit), { every: HOUR });
    const { background } = work.start({ workers: [worker] });
    await insertJobs(work.current, 1, ['a']);
    background.hint('job');
    await done();
  });
});

it('hints that come together are sent as two: the first, and one for all others', async () => {
  const sent: string[] = [];
  const hints = createHints(20, (name) => sent.push(name));
  for (let count = 0; count < 100; count += 1) hints.send('a');
  hints.send('b');
  expect(sent).toEqual(['a', 'b']);
  await eventually(() => expect(sent).toEqual(['a', 'b', 'a']));
  hints.stop();
});
