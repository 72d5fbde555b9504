import { hash as hashOf, type JsonObject, verifyProof } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { systemKeyOf, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { startServer } from '../support/server.js';
import {
  type Follower,
  instantsOf,
  ON,
  reportsOf,
  scheduledLedger,
  schedulePolicy,
  unitOf,
  withSchedules,
} from './scene.js';

const deployment = withSchedules();
let follower: Follower;

beforeAll(() => {
  follower = deployment.current.follower();
});

const at = (moment: string) => follower.settleAt(moment);
const ledger = (config?: JsonObject) => scheduledLedger(deployment.current.server.url, config);

describe('**Schedule policies** create reports on time', () => {
  it('by the background work of the server, a few seconds after the instant', async () => {
    const { clock, server } = deployment.current;
    clock.set('2026-03-02T05:59:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await eventually(async () => {
      const { rows } = await deployment.current.pool.query(
        `select next_at from schedule s join ledger l on l.id = s.ledger_id where l.handle = $1`,
        [client.ledger],
      );
      expect(rows).toEqual([{ next_at: new Date('2026-03-02T06:00:00Z') }]);
    });
    expect(await reportsOf(client)).toEqual([]);
    clock.set('2026-03-02T06:00:00Z');
    await eventually(async () => expect(await instantsOf(client)).toEqual(['2026-03-02T06:00:00.000Z']));
    const metric = server.server.metrics.registry.getSingleMetric('countersign_scheduled_reports_total');
    expect((await metric!.get()).values).toContainEqual(
      expect.objectContaining({ value: 1, labels: { outcome: 'created' } }),
    );
  });

  it('signed by `system`, with a 17-character handle and the window since the instant before', async () => {
    deployment.current.clock.set('2026-03-02T12:00:00Z');
    const client = await ledger();
    await stored(
      client,
      'policy',
      schedulePolicy(['0 6 * * *'], { inputs: { schema: 'daily', custom: { closes: 'x' } } }),
    );
    await at('2026-03-02T12:00:10Z');
    expect(await reportsOf(client)).toEqual([]);
    await at('2026-03-03T06:00:03Z');
    const [report, ...others] = await reportsOf(client);
    expect(others).toEqual([]);
    const { data, meta, hash } = report!;
    expect(data).toEqual({
      handle: expect.stringMatching(/^[\w-]{17}$/),
      schema: 'daily',
      custom: {
        closes: 'x',
        start_timestamp: '2026-03-02T06:00:00.000Z',
        end_timestamp: '2026-03-03T06:00:00.000Z',
      },
    });
    const key = systemKeyOf(client);
    expect(hash).toBe(hashOf(data, native));
    expect(meta).toMatchObject({ status: 'created', moment: '2026-03-03T06:00:03.000Z', owners: [key] });
    expect(meta.proofs.map(({ public: by, signer, custom }) => ({ by, signer, custom }))).toEqual([
      {
        by: key,
        signer: 'system',
        custom: { moment: '2026-03-03T06:00:00.000Z', status: 'created', policy: 'schedule' },
      },
      {
        by: key,
        signer: 'system',
        custom: { luid: report!.luid, moment: '2026-03-03T06:00:03.000Z', status: 'created' },
      },
    ]);
    for (const proof of meta.proofs) expect(verifyProof(hash, proof, native)).toBe(true);
    expect((await client.get(`/reports/${data.handle}`)).body).toEqual(report);
  });

  it('with the members of the window that the schema has, and no custom data without any', async () => {
    deployment.current.clock.set('2026-03-03T05:00:00Z');
    const client = await ledger();
    const only = { properties: { custom: { properties: { end_timestamp: {} } } } };
    for (const [handle, schema] of [
      ['only', only],
      ['none', {}],
      ['odd', { properties: { custom: true } }],
    ] as const) {
      await stored(client, 'schema', { handle, record: 'report', format: 'json-schema', schema });
      await stored(client, 'policy', schedulePolicy(['0 6 * * *'], { handle, inputs: { schema: handle } }));
    }
    await at('2026-03-03T05:00:10Z');
    await at('2026-03-03T06:00:00Z');
    const made = new Map((await reportsOf(client)).map(({ data }) => [data.schema, data.custom]));
    expect(Object.fromEntries(made)).toEqual({
      only: { end_timestamp: '2026-03-03T06:00:00.000Z' },
      none: undefined,
      odd: undefined,
    });
  });

  it('five-field cron in the policy’s time zone', async () => {
    deployment.current.clock.set('2026-03-04T00:00:00Z');
    const client = await ledger();
    await stored(
      client,
      'policy',
      schedulePolicy(['30 6 * * *'], { handle: 'a', config: { timezone: 'Asia/Kolkata' } }),
    );
    await stored(
      client,
      'policy',
      schedulePolicy(['0 6 * * *'], { handle: 'b', config: { timezone: 'Europe/Zurich' } }),
    );
    await at('2026-03-04T00:00:10Z');
    await at('2026-03-04T00:59:59Z');
    expect(await instantsOf(client)).toEqual([]);
    await at('2026-03-04T05:00:00Z');
    expect((await instantsOf(client)).sort()).toEqual(['2026-03-04T01:00:00.000Z', '2026-03-04T05:00:00.000Z']);
  });

  it('of several expressions at every instant of any, and once where they agree', async () => {
    deployment.current.clock.set('2026-03-05T00:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *', '0 6,7 * * *']));
    await at('2026-03-05T00:00:10Z');
    for (const moment of ['06:00:00', '06:30:00', '07:00:00', '08:00:00']) await at(`2026-03-05T${moment}Z`);
    expect(await instantsOf(client)).toEqual(['2026-03-05T06:00:00.000Z', '2026-03-05T07:00:00.000Z']);
    const [, second] = await reportsOf(client);
    expect(second!.data.custom).toMatchObject({ start_timestamp: '2026-03-05T06:00:00.000Z' });
  });
});

describe('off unless the ledger’s configuration has `policy.scheduleProcessorEnabled`', () => {
  it.each([[{}], [{ 'policy.scheduleProcessorEnabled': false }]])('%j', async (config) => {
    deployment.current.clock.set('2026-03-06T05:00:00Z');
    const client = await ledger(config);
    await stored(client, 'policy', schedulePolicy(['* * * * *']));
    for (const moment of ['05:01:00', '05:02:00']) await at(`2026-03-06T${moment}Z`);
    expect(await reportsOf(client)).toEqual([]);
  });

  it('and followed from when it is turned on, to when it is turned off', async () => {
    deployment.current.clock.set('2026-03-06T05:00:00Z');
    const client = await ledger({});
    await stored(client, 'policy', schedulePolicy(['0 * * * *']));
    await at('2026-03-06T06:30:00Z');
    const turn = async (config: JsonObject, moment: string) => {
      deployment.current.clock.set(moment);
      const record = (await client.get('/ledger')).body;
      ok(await client.update('/ledger', record, { ...record.data, config }));
      await follower.settle();
    };
    await turn(ON, '2026-03-06T06:40:00Z');
    expect(await instantsOf(client)).toEqual([]);
    await at('2026-03-06T07:00:00Z');
    await turn({}, '2026-03-06T07:30:00Z');
    await at('2026-03-06T08:00:00Z');
    await turn(ON, '2026-03-06T08:30:00Z');
    await at('2026-03-06T09:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-03-06T07:00:00.000Z', '2026-03-06T09:00:00.000Z']);
  });
});

/** What of the rows of a ledger says how far its schedules were followed. */
async function rewind(client: TestClient, moment: string): Promise<void> {
  const { pool } = deployment.current;
  const ofLedger = 'ledger_id = (select id from ledger where handle = $1)';
  await pool.query(`update schedule set through = $2, next_at = $2 where ${ofLedger}`, [
    client.ledger,
    new Date(moment),
  ]);
}

describe('once per (policy, instant) over all processes and restarts', () => {
  it('where two processes follow it at once', async () => {
    deployment.current.clock.set('2026-03-07T05:00:00Z');
    const { server } = deployment.current;
    const other = await startServer({ database: server.database, runtime: deployment.current.clock.runtime });
    try {
      const client = await ledger();
      for (let number = 0; number < 10; number += 1) {
        await stored(client, 'policy', schedulePolicy(['0 6 * * *'], { handle: `p-${number}` }));
      }
      await at('2026-03-07T05:00:10Z');
      deployment.current.clock.set('2026-03-07T06:00:00Z');
      await follower.find();
      const unit = await unitOf(deployment.current, client);
      const both = [follower, deployment.current.follower(other), deployment.current.follower(other)];
      await Promise.all(both.map((one) => one.follow(unit)));
      const reports = await reportsOf(client);
      expect(reports).toHaveLength(10);
      expect(new Set(reports.map(({ meta }) => meta.proofs[0]?.custom?.policy)).size).toBe(10);
    } finally {
      await other.server.close();
    }
  });

  it('where a process died after it had created the report', async () => {
    deployment.current.clock.set('2026-03-07T05:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-07T05:00:10Z');
    await at('2026-03-07T06:00:00Z');
    const reports = await reportsOf(client);
    expect(reports).toHaveLength(1);
    // What the database holds when nothing of the run was kept.
    await rewind(client, '2026-03-07T05:30:00Z');
    await at('2026-03-07T06:05:00Z');
    expect(await reportsOf(client)).toEqual(reports);
    expect(follower.lines).toEqual([]);
    const { values } = await follower.metrics.registry.getSingleMetric('countersign_scheduled_reports_total')!.get();
    expect(values).toContainEqual(expect.objectContaining({ labels: { outcome: 'repeated' } }));
  });

  it('where the report was dropped before the process could note that it was there', async () => {
    deployment.current.clock.set('2026-03-07T05:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-07T05:00:10Z');
    await at('2026-03-07T06:00:00Z');
    const [report] = await reportsOf(client);
    ok(await client.drop(`/reports/${report!.data.handle}`, report!));
    await rewind(client, '2026-03-07T05:30:00Z');
    await at('2026-03-07T06:05:00Z');
    expect(await reportsOf(client)).toEqual([]);
  });

  it('where the run is given up, it is done by the next', async () => {
    deployment.current.clock.set('2026-03-07T05:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-07T05:00:10Z');
    // Nobody but this test is to follow it here: the server would.
    const alone = await deployment.current.pool.connect();
    try {
      await alone.query('begin; lock table schedule in share row exclusive mode');
      deployment.current.clock.set('2026-03-07T06:00:00Z');
      const gone = new AbortController();
      gone.abort(new Error('gone'));
      await expect(follower.follow(await unitOf(deployment.current, client), gone.signal)).rejects.toThrow();
      expect(await reportsOf(client)).toEqual([]);
    } finally {
      await alone.query('rollback');
      alone.release();
    }
    await follower.settle();
    expect(await instantsOf(client)).toEqual(['2026-03-07T06:00:00.000Z']);
  });
});

describe('across daylight-saving changes', () => {
  it.each<[what: string, cron: string, from: string, hours: string[], instants: string[]]>([
    [
      'an instant in the missing hour comes when that is over',
      '30 2 * * *',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z', '2026-03-30T00:30:00Z'],
      ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    ],
    [
      'an instant in the repeated hour comes once',
      '30 2 * * *',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
      ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ],
    [
      'steps come in both turns of the repeated hour, and those in the missing one not at all',
      '0 */1 * * *',
      '2026-10-24T23:30:00Z',
      ['2026-10-25T00:00:00Z', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00Z'],
      ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000Z'],
    ],
  ])('%s', async (_, cron, from, moments, instants) => {
    deployment.current.clock.set(from);
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy([cron], { config: { timezone: 'Europe/Zurich' } }));
    await follower.settle();
    for (const moment of moments) await at(moment);
    expect(await instantsOf(client)).toEqual(instants);
  });
});

describe('no flood after downtime', () => {
  it('makes the latest report that was missed, of its own window, and none of those before', async () => {
    deployment.current.clock.set('2026-04-01T00:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *'], { handle: 'daily' }));
    await stored(client, 'policy', schedulePolicy(['* * * * *'], { handle: 'minutely' }));
    await at('2026-04-01T00:00:10Z');
    await at('2026-04-11T12:00:30Z');
    const made = (await reportsOf(client)).map(({ data, meta }) => [meta.proofs[0]?.custom?.policy, data.custom]);
    expect(Object.fromEntries(made)).toEqual({
      daily: { start_timestamp: '2026-04-10T06:00:00.000Z', end_timestamp: '2026-04-11T06:00:00.000Z' },
      minutely: { start_timestamp: '2026-04-11T11:59:00.000Z', end_timestamp: '2026-04-11T12:00:00.000Z' },
    });
    expect(made).toHaveLength(2);
    await at('2026-04-11T12:01:00Z');
    expect(await reportsOf(client)).toHaveLength(3);
  });

  it('makes the report of an instant that came between the policy and the first look at it', async () => {
    deployment.current.clock.set('2026-04-12T05:59:59Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-04-12T06:00:05Z');
    expect(await instantsOf(client)).toEqual(['2026-04-12T06:00:00.000Z']);
  });

  it('does nothing while the clock is back', async () => {
    deployment.current.clock.set('2026-04-13T05:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 * * * *']));
    await at('2026-04-13T06:00:00Z');
    await at('2026-04-13T04:00:00Z');
    await at('2026-04-13T05:00:00Z');
    await at('2026-04-13T06:00:00Z');
    await at('2026-04-13T07:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-04-13T06:00:00.000Z', '2026-04-13T07:00:00.000Z']);
  });
});
