import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { allSealed, LogReader } from '../log/reading.js';
import type { Cable } from '../store/cable.js';
import { layCable } from '../store/cable.js';
import { newLedger } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { asked, Clusters, type Standby, startStandby } from './cluster.js';

const PATIENCE = 120_000;
const clusters = new Clusters();
const lines: { msg: string; level: number; [name: string]: unknown }[] = [];
let server: RunningServer;
let cable: Cable;
let standby: Standby;

afterAll(async () => {
  await server.stop();
  await cable.close();
  await standby.cable.close();
  await clusters.end();
}, PATIENCE);

const health = async () => (await fetch(new URL('/health', server.url))).json();
const metric = async (name: string) =>
  (await server.server.metrics.registry.getMetricsAsJSON()).find((one) => one.name === name)?.values[0]?.value;

it('after a failover that lost writes, the operator is told which', { timeout: PATIENCE }, async () => {
  const dataDir = await clusters.folder();
  makeDataDir(dataDir);
  const primary = await clusters.start(dataDir);
  cable = await layCable(primary.url);
  const options = {
    database: { url: cable.url, drop: async () => {} },
    dataDir: await clusters.folder(),
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  };
  server = await startServer(options);
  const told = (msg: string) => lines.filter((line) => line.msg.startsWith(msg));
  /** A ledger whose log was shown as it is; gives its size. */
  const show = async (client: Awaited<ReturnType<typeof newLedger>>) => {
    const reader = await LogReader.of(client);
    const { size } = await allSealed(client);
    await eventually(async () => expect((await reader.checkpoint()).size).toBe(size));
    return size;
  };
  const kept = await newLedger(server.url, { config: { log: 'open' } });
  const loser = await newLedger(server.url, { config: { log: 'open' } });
  await show(kept);
  const before = await show(loser);
  standby = await startStandby(clusters, primary, dataDir);
  await standby.caughtUp();
  await standby.cable.cut();
  await stored(loser, 'wallet', { handle: 'lost' });
  const after = await show(loser);
  const gone = await newLedger(server.url, { config: { log: 'open' } });
  const all = await show(gone);
  const { luid } = (await loser.get('/ledger')).body;
  const { luid: other } = (await gone.get('/ledger')).body;
  expect(await health()).toEqual({ status: 'UP' });

  await clusters.kill(dataDir, primary);
  await cable.cut();
  const promoted = await standby.promote();
  cable.lead(promoted.url);
  await cable.mend();

  await eventually(async () => expect(await health()).toEqual({ status: 'UP', logsStopped: 1 }));
  expect(told('writes are lost').map(({ ledger, shown, found }) => ({ ledger, shown, found }))).toEqual(
    expect.arrayContaining([
      { ledger: luid, shown: after, found: before },
      { ledger: other, shown: all, found: 0 },
    ]),
  );
  expect(told('writes are lost')).toHaveLength(2);
  expect(told('the log of a ledger is stopped')).toMatchObject([{ ledger: luid }]);
  expect(await metric('countersign_log_lost')).toBe(2);
  expect(await metric('countersign_log_stopped')).toBe(1);
  // All else is served, and what was not lost is as it was.
  await show(kept);
  expect((await loser.get('/wallets/lost')).status).toBe(404);
  await stored(loser, 'wallet', { handle: 'lost' });

  // A server that begins only now compares what it has shown before.
  lines.length = 0;
  await server.stop();
  await asked(promoted.url, `update deployment set value = 'another' where name = 'identity'`);
  server = await startServer(options);
  await eventually(() => expect(told('writes are lost').map(({ ledger }) => ledger)).toContain(other));
});
