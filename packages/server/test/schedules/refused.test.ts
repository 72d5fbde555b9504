import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { scheduleLimits } from '../../src/kinds/policies/policy-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { scheduledLedger, schedulePolicy } from './scene.js';

const server = withServer();
const POLICY = '/policies/schedule';

const ledger = () => scheduledLedger(server.current.url);

describe('a schedule policy that could not be followed is refused', () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await ledger();
    await stored(client, 'policy', schedulePolicy(['0 6 * * *']));
  });

  const both = async (data: JsonObject): Promise<TestAnswer[]> => [
    await client.create('/policies', { ...data, handle: 'another' }),
    await client.update(POLICY, (await client.get(POLICY)).body, data),
  ];

  it.each(['0 6 * *', '0 0 30 2 *', '@daily', '* * * * * *', '60 * * * *', ''])(
    'a cron expression %j',
    async (cron) => {
      for (const answer of await both(schedulePolicy(['0 6 * * *', cron]))) {
        const detail = 'Schema validation error: request/body/data/values/1/cron must match format "cron"';
        expectRefusal(answer, client, 'record.schema-invalid', detail);
        expect(answer.body.data.custom.errors).toEqual([
          {
            instancePath: '/data/values/1/cron',
            schemaPath: '#/properties/data/properties/values/items/properties/cron/format',
            keyword: 'format',
            params: { format: 'cron' },
            message: 'must match format "cron"',
            path: '/body/data/values/1/cron',
            errorCode: 'format.openapi.validation',
          },
        ]);
      }
    },
  );

  it('a time zone that there is not', async () => {
    for (const timezone of ['Nowhere/City', '+05:00', '']) {
      for (const answer of await both(schedulePolicy(['0 6 * * *'], { config: { timezone } }))) {
        expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
      }
    }
    // Also where the ledger's own schema of schedules is made to take anything.
    const free = await ledger();
    const schema = (await free.get('/schemas/schedule')).body;
    ok(await free.update('/schemas/schedule', schema, { ...schema.data, schema: {} }));
    const answer = await free.create('/policies', schedulePolicy(['0 6 * * *'], { config: { timezone: 'x' } }));
    const detail = 'Schema validation error: request/body/data/config/timezone must match format "timezone"';
    expectRefusal(answer, free, 'record.schema-invalid', detail);
    const unnamed = await free.create('/policies', schedulePolicy(['0 6 * * *'], { inputs: {} }));
    const required = 'Schema validation error: request/body/data/inputs/schema must be string';
    expectRefusal(unnamed, free, 'record.schema-invalid', required);
  });

  it.each<[what: string, data: JsonObject]>([
    ['a value without cron', { values: [{ at: '06:00' }] }],
    ['a value with another member', { values: [{ cron: '0 6 * * *', every: 1 }] }],
    ['another record', { record: 'wallet' }],
    ['another action', { action: 'drop' }],
    ['another input', { inputs: { schema: 'daily', stray: 1 } }],
    ['other custom data of the report', { inputs: { schema: 'daily', custom: { stray: 1 } } }],
  ])('%s', async (_, more) => {
    for (const answer of await both(schedulePolicy(['0 6 * * *'], more))) {
      expect([answer.status, answer.body.data.reason]).toEqual([422, 'record.schema-invalid']);
    }
  });

  it('one cron expression or one character too many', async () => {
    const { values, cron } = scheduleLimits;
    const long = (length: number) => `0${',0'.repeat(123)}${' '.repeat(length - 254)}6 * * *`;
    expect([long(cron).length, long(cron + 1).length]).toEqual([cron, cron + 1]);
    const create = (handle: string, crons: string[]) => client.create('/policies', schedulePolicy(crons, { handle }));
    expect((await create('many', Array(values).fill('0 6 * * *'))).status).toBe(201);
    expect((await create('more', Array(values + 1).fill('0 6 * * *'))).status).toBe(422);
    expect((await create('long', [long(cron)])).status).toBe(201);
    expect((await create('longer', [long(cron + 1)])).status).toBe(422);
  });

  it('one policy too many, and half of them are kept from domains', { timeout: 60_000 }, async () => {
    const { policies, inDomains } = scheduleLimits;
    const open = await newLedger(server.current.url);
    await stored(open, 'domain', { handle: 'sales' });
    const create = (handle: string, more: JsonObject = {}) =>
      open.create('/policies', schedulePolicy([], { handle, inputs: { schema: 'daily' }, ...more }));
    for (let number = 0; number < inDomains; number += 1) ok(await create(`p-${number}@sales`));
    const inDomain = `A ledger may have ${inDomains} schedule policies when one in a domain is added`;
    expectRefusal(await create('more@sales'), open, 'record.invalid', inDomain);
    for (let number = inDomains; number < policies; number += 1) ok(await create(`p-${number}`));
    const detail = `A ledger may have ${policies} schedule policies`;
    expectRefusal(await create('more'), open, 'record.invalid', detail);
    // Neither by a policy that becomes one. Those that are there may be changed.
    const other = ok(await open.create('/policies', { handle: 'other', schema: 'labels', values: [] })).body;
    const turned = await open.update('/policies/other', other, schedulePolicy([], { handle: 'other' }));
    expectRefusal(turned, open, 'record.invalid', detail);
    const first = (await open.get('/policies/p-0@sales')).body;
    ok(await open.update('/policies/p-0@sales', first, { ...first.data, custom: { legend: 'x' } }));
    ok(await open.drop('/policies/p-99', (await open.get('/policies/p-99')).body));
    ok(await create('more'));
  });
});
