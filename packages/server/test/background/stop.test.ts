import { expect, it } from 'vitest';
import { Stopping } from '../../src/background/run.js';
import { eventually } from '../support/eventually.js';
import { aborted, finishJob, insertJobs, jobWorker, QUICK, withWork } from './work.js';

const HOUR = 3_600_000;

const work = withWork();

const leases = async () =>
  (await work.current.pool.query('select unit, holder, until > now() as held from lease')).rows;

it('what runs is finished when the process stops, and nothing more is begun', async () => {
  await insertJobs(work.current, 1, ['under way', 'waits']);
  let end = () => {};
  const began: string[] = [];
  const { background, value } = work.start({
    bounds: { ...QUICK, drain: HOUR },
    workers: [
      jobWorker(
        async (unit) => {
          began.push(unit.unit);
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          await finishJob(work.current, unit);
        },
        { concurrency: 1 },
      ),
    ],
  });
  await eventually(() => expect(began).toEqual(['under way']));
  const stopped = background.stop();
  background.hint('job');
  end();
  await stopped;
  expect(began).toEqual(['under way']);
  expect(await leases()).toEqual([]);
  expect(await value('countersign_background_runs_total', { name: 'job', outcome: 'done' })).toBe(1);
});

it('what takes too long to finish is told to end, and others may take it at once', async () => {
  await insertJobs(work.current, 1, ['long']);
  const reasons: unknown[] = [];
  const { background, value, lines } = work.start({
    bounds: { ...QUICK, drain: 10, grace: HOUR },
    workers: [
      jobWorker(async (_unit, signal) => {
        reasons.push(await aborted(signal));
        signal.throwIfAborted();
      }),
    ],
  });
  await eventually(async () => expect(await leases()).toHaveLength(1));
  await background.stop();
  expect(reasons).toEqual([expect.any(Stopping)]);
  expect(await leases()).toEqual([{ unit: 'long', holder: null, held: false }]);
  expect(await value('countersign_background_runs_total', { name: 'job', outcome: 'stopped' })).toBe(1);
  // It is no failure.
  expect(lines).toEqual([]);
});

it('what does not end keeps its lease until that ends, and holds up no stop', async () => {
  await insertJobs(work.current, 1, ['deaf']);
  let end = () => {};
  const { background } = work.start({
    bounds: { ...QUICK, lease: HOUR, drain: 10, grace: 10 },
    workers: [
      jobWorker(
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      ),
    ],
  });
  await eventually(async () => expect(await leases()).toHaveLength(1));
  await background.stop();
  expect(await leases()).toEqual([{ unit: 'deaf', holder: expect.any(String), held: true }]);
  end();
  await eventually(async () => expect(await leases()).toEqual([]));
});
