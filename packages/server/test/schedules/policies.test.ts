import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { backgroundLimits } from '../../src/background/background-limits.js';
import { timetableOf } from '../../src/kinds/policies/schedule.js';
import { createSchedules } from '../../src/store/schedules.js';
import { createIn, divided } from '../domains/scene.js';
import type { TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
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

const deployment = withSchedules(true);
let follower: Follower;

beforeAll(() => {
  follower = deployment.current.follower();
});

const at = (moment: string) => follower.settleAt(moment);
const ledger = (config?: JsonObject) => scheduledLedger(deployment.current.server.url, config);
const POLICY = '/policies/schedule';

async function change(client: TestClient, data: JsonObject, moment: string): Promise<void> {
  deployment.current.clock.set(moment);
  ok(await client.update(POLICY, (await client.get(POLICY)).body, data));
  await follower.settle();
}

describe('a schedule policy', () => {
  it('acts whatever its status, but `inactive`', async () => {
    deployment.current.clock.set('2026-03-02T05:30:00Z');
    const client = await ledger();
    const policy = await stored(client, 'policy', schedulePolicy(['0 * * * *']));
    const turn = async (status: string, moment: string) => {
      deployment.current.clock.set(moment);
      ok(await client.prove(POLICY, policy, { status }));
      await follower.settle();
    };
    await at('2026-03-02T06:00:00Z');
    await turn('inactive', '2026-03-02T06:30:00Z');
    await at('2026-03-02T07:00:00Z');
    // What came while it was out of force was never asked for.
    await turn('active', '2026-03-02T07:30:00Z');
    await at('2026-03-02T08:00:00Z');
    await turn('odd', '2026-03-02T08:30:00Z');
    await at('2026-03-02T09:00:00Z');
    expect(await instantsOf(client)).toEqual(['06', '08', '09'].map((hour) => `2026-03-02T${hour}:00:00.000Z`));
  });

  it('is followed by its new times from its update on', async () => {
    deployment.current.clock.set('2026-03-03T05:30:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-03T05:30:10Z');
    await change(client, schedulePolicy(['0 4,8 * * *']), '2026-03-03T05:59:00Z');
    await at('2026-03-03T06:00:00Z');
    expect(await instantsOf(client)).toEqual([]);
    await at('2026-03-03T08:00:00Z');
    await change(client, schedulePolicy([]), '2026-03-03T09:00:00Z');
    await at('2026-03-04T09:00:00Z');
    await change(client, schedulePolicy(['0 8,10 * * *']), '2026-03-04T09:00:00Z');
    await at('2026-03-04T10:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-03-03T08:00:00.000Z', '2026-03-04T10:00:00.000Z']);
  });

  it.each<[what: string, changed: JsonObject]>([
    ['its times', schedulePolicy(['0 8 * * *'])],
    ['something else', schedulePolicy(['0 6 * * *'], { custom: { legend: 'x' } })],
  ])('is followed by its old times up to the update of %s', async (_, changed) => {
    deployment.current.clock.set('2026-03-04T12:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-04T12:00:10Z');
    // Nobody has looked since the instant.
    await change(client, changed, '2026-03-05T06:00:01Z');
    await at('2026-03-05T06:00:02Z');
    expect(await instantsOf(client)).toEqual(['2026-03-05T06:00:00.000Z']);
    await at('2026-03-05T08:00:00Z');
    expect(await instantsOf(client)).toHaveLength(changed.custom ? 1 : 2);
  });

  it('that is dropped is followed no more, and forgotten', async () => {
    deployment.current.clock.set('2026-03-05T05:30:00Z');
    const client = await ledger();
    const policy = await stored(client, 'policy', schedulePolicy(['0 * * * *']));
    await at('2026-03-05T06:00:00Z');
    ok(await client.drop(POLICY, policy));
    await at('2026-03-05T08:00:00Z');
    expect(await instantsOf(client)).toEqual(['2026-03-05T06:00:00.000Z']);
    const { pool } = deployment.current;
    const { rows } = await pool.query('select from schedule where policy = $1', [policy.luid]);
    expect(rows).toEqual([]);
  });

  it('without values is stored, and names no instant', async () => {
    deployment.current.clock.set('2026-03-05T05:30:00Z');
    const client = await ledger();
    const { values, ...without } = schedulePolicy([]);
    expect(values).toEqual([]);
    await stored(client, 'policy', without);
    await at('2026-03-08T05:30:00Z');
    expect(await reportsOf(client)).toEqual([]);
  });

  it('of an earlier release may hold anything, and does not act', () => {
    for (const data of [
      {},
      { values: 'x' },
      { values: [1, null, { cron: 5 }, { cron: 'x' }] },
      { values: [{ cron: '* * * * *' }], config: { timezone: 'x' } },
      { values: [{ cron: '* * * * *' }], config: { timezone: 5 } },
      { values: [{ cron: '0 0 30 2 *' }] },
    ] as JsonObject[]) {
      expect(timetableOf(data)).toBeUndefined();
    }
    expect(timetableOf({ values: [{ cron: 'x' }, { cron: '0 6 * * *' }], config: 1 })?.after(0)).toBe(6 * 3_600_000);
  });
});

describe('a creation error is logged once and not retried', () => {
  it.each<[what: string, policy: JsonObject, prepare: (client: TestClient) => Promise<unknown>, told: JsonObject]>([
    [
      'a schema that there is not',
      { inputs: { schema: 'weekly' } },
      async () => {},
      { reason: 'record.relation-not-found', detail: 'Schema weekly not found for record of type report.' },
    ],
    [
      'data that the schema refuses',
      { inputs: { schema: 'strict' } },
      (client) =>
        stored(client, 'schema', {
          handle: 'strict',
          record: 'report',
          format: 'json-schema',
          schema: { required: ['custom'] },
        }),
      { reason: 'record.schema-invalid', detail: "Schema validator error: data must have required property 'custom'" },
    ],
    [
      'a status policy without `created`',
      {},
      (client) =>
        stored(client, 'policy', {
          handle: 'statuses',
          schema: 'status',
          record: 'report',
          values: [{ status: 'pending', quorum: [] }],
        }),
      {
        reason: 'record.status-policy-violation',
        detail: 'Cannot set report status to created. No values correspond to the target status.',
      },
    ],
  ])('%s', async (_, policy, prepare, told) => {
    deployment.current.clock.set('2026-03-09T05:00:00Z');
    const client = await ledger();
    await prepare(client);
    const made = await stored(client, 'policy', schedulePolicy(['0 6 * * *'], policy));
    await stored(client, 'policy', schedulePolicy(['0 6 * * *'], { handle: 'z-other' }));
    await at('2026-03-09T05:00:10Z');
    const logged = deployment.current.follower();
    deployment.current.clock.set('2026-03-09T06:00:00Z');
    await logged.follow(await unitOf(deployment.current, client));
    const line = { policy: made.luid, instant: '2026-03-09T06:00:00.000Z', msg: 'a scheduled report was refused' };
    const { luid } = (await client.get('/ledger')).body;
    const lines = () => logged.lines.filter(({ policy }) => policy === made.luid);
    expect(lines()).toEqual([{ ledger: luid, ...line, ...told }]);
    await logged.settle();
    deployment.current.clock.set('2026-03-09T06:30:00Z');
    await logged.settle();
    expect(lines()).toHaveLength(1);
    // The schedule beside it is followed all the same, unless that is refused too.
    const reports = await reportsOf(client);
    expect(reports).toHaveLength(told.reason === 'record.status-policy-violation' ? 0 : 1);
    const { values } = await logged.metrics.registry.getSingleMetric('countersign_scheduled_reports_total')!.get();
    expect(values.map(({ labels }) => labels.outcome)).toContain('refused');
  });

  it('tells no more of them than the log is to hold, and how many went untold', async () => {
    const { count } = backgroundLimits.lines;
    deployment.current.clock.set('2026-03-09T05:00:00Z');
    const client = await ledger();
    for (let number = 0; number < count + 1; number += 1) {
      const more = { handle: `p-${number}`, inputs: { schema: 'none' } };
      await stored(client, 'policy', schedulePolicy(['* * * * *'], more));
    }
    await at('2026-03-09T05:00:10Z');
    const logged = deployment.current.follower();
    const unit = await unitOf(deployment.current, client);
    deployment.current.clock.set('2026-03-09T05:01:00Z');
    await logged.follow(unit);
    expect(logged.lines).toHaveLength(count);
    deployment.current.clock.set('2026-03-09T05:02:00Z');
    await logged.follow(unit);
    expect(logged.lines[count]).toMatchObject({ untold: 1 });
  });
});

describe('a failure that is no refusal', () => {
  it('is tried again, and keeps no other ledger waiting', async () => {
    deployment.current.clock.set('2026-03-12T05:00:00Z');
    const [client, other] = [await ledger(), await ledger()];
    for (const one of [client, other]) await stored(one, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-12T05:00:10Z');
    deployment.current.clock.set('2026-03-12T06:00:00Z');
    await follower.find();
    const { pool } = deployment.current;
    const unit = await unitOf(deployment.current, client);
    await pool.query('alter table change rename to change_elsewhere');
    await expect(follower.follow(unit))
      .rejects.toThrow()
      .finally(() => pool.query('alter table change_elsewhere rename to change'));
    expect((await follower.due()).some((one) => one.unit === unit.unit)).toBe(true);
    await follower.settle();
    for (const one of [client, other]) expect(await instantsOf(one)).toEqual(['2026-03-12T06:00:00.000Z']);
    expect(follower.lines.filter(({ ledger: luid }) => luid === unit.unit)).toEqual([]);
  });
});

describe('a ledger under policies', () => {
  it('has its reports made as well: no rule is asked for what it does itself', async () => {
    deployment.current.clock.set('2026-03-12T07:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 8 * * *']));
    const record = (await client.get('/ledger')).body;
    const config = { ...ON, 'access.strategy': 'policy-based' };
    ok(await client.update('/ledger', record, { ...record.data, access: [], config }));
    await at('2026-03-12T07:00:10Z');
    await at('2026-03-12T08:00:00Z');
    const { rows } = await deployment.current.pool.query(
      `select from record r join ledger l on l.id = r.ledger_id where l.handle = $1 and kind = 'report'`,
      [client.ledger],
    );
    expect(rows).toHaveLength(1);
  });
});

describe('a policy in a domain (interface/domains#kind-by-kind)', () => {
  it('makes reports in its domain, of schemas for records there, and none outside', async () => {
    deployment.current.clock.set('2026-03-10T05:00:00Z');
    const { founder, admin } = await divided(deployment.current.server.url, [], ON);
    const schema = (handle: string) => ({ handle, record: 'report', format: 'json-schema', schema: {} });
    for (const handle of ['daily', 'daily@sales', 'daily@bank', 'daily@eu@sales']) {
      const domain = handle.split('@').slice(1).join('@');
      ok(await founder.create('/schemas', schema(handle), domain === '' ? {} : { domain }));
      const policy = schedulePolicy(['0 6 * * *'], {
        handle: `p-${handle.replaceAll('@', '-')}@sales`,
        inputs: { schema: handle },
      });
      ok(await admin.create('/policies', policy));
    }
    await at('2026-03-10T05:00:10Z');
    const logged = deployment.current.follower();
    deployment.current.clock.set('2026-03-10T06:00:00Z');
    await logged.follow(await unitOf(deployment.current, founder));
    const reports: { data: JsonObject; meta: JsonObject }[] = (await founder.get('/reports', {})).body.data ?? [];
    const { pool } = deployment.current;
    const { rows } = await pool.query(
      `select domain from record r join ledger l on l.id = r.ledger_id where l.handle = $1 and kind = 'report'`,
      [founder.ledger],
    );
    // Schemas of the ledger at large and of `sales` are for records in `sales`.
    expect(rows).toEqual([{ domain: 'sales' }, { domain: 'sales' }]);
    expect(reports.every(({ meta }) => meta.domain === 'sales')).toBe(true);
    expect(logged.lines.map(({ detail }) => detail).sort()).toEqual([
      'Schema daily@bank not found for record of type report.',
      'Schema daily@eu@sales not found for record of type report.',
    ]);
  });

  it('cannot be made by who has rights in another', async () => {
    const { admin } = await divided(deployment.current.server.url, [], ON);
    const answer = await createIn(admin, '/policies', 'bank', schedulePolicy(['0 6 * * *'], { handle: 'p@bank' }));
    expect(answer.status).toBe(403);
  });
});

describe('finding what is due', () => {
  it('reads the schedule policies of all ledgers by an index of their own', async () => {
    const client = await deployment.current.pool.connect();
    try {
      await client.query('begin; set local enable_seqscan = off');
      const { rows } = await client.query(
        `explain select r.ledger_id, r.luid from record r where r.kind = 'policy'
          and r.document -> (r.ledger_id::text || '/policy') -> 'data.schema' @> '["schedule"]'::jsonb`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('record_schedule');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('leaves those alone that are too many to be followed', async () => {
    deployment.current.clock.set('2026-03-13T05:00:00Z');
    const client = await ledger();
    const kept = await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    const other = await stored(client, 'policy', schedulePolicy(['0 6 * * *'], { handle: 'other' }));
    await follower.find();
    const { pool } = deployment.current;
    const { ledger: id } = await unitOf(deployment.current, client);
    const { version } = (await pool.query('select version from ledger where id = $1', [id])).rows[0];
    await createSchedules(pool).passOverOthers(id, version, [kept.luid]);
    const rows = async () => (await pool.query('select policy, due from schedule where ledger_id = $1', [id])).rows;
    await follower.find();
    expect((await rows()).filter(({ due }) => due !== null).map(({ policy }) => policy)).toEqual([kept.luid]);
    expect(await rows()).toContainEqual({ policy: other.luid, due: null });
  });

  it('finds nothing twice, and nothing where nothing has changed', async () => {
    deployment.current.clock.set('2026-03-11T05:00:00Z');
    const client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
    await at('2026-03-11T05:00:10Z');
    const unit = await unitOf(deployment.current, client);
    const isDue = async () => (await follower.due()).some((one) => one.unit === unit.unit);
    await follower.find();
    expect(await isDue()).toBe(false);
    deployment.current.clock.set('2026-03-11T05:59:59.999Z');
    await follower.find();
    expect(await isDue()).toBe(false);
  });
});
