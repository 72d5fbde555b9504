import type { RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { checkBooks } from '../money/invariants.js';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import { proofOver, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dump, erasureOf, MAY_ERASE, SECRET_NAME, tablesWith, whileLocked } from './support.js';

const servers = withTwoServers({ deliveryAllowPrivate: true });

afterEach(() => checkBooks(servers.databaseUrl));

/** A completed intent, with the body that made it. */
async function paid() {
  const [one, two] = servers.current;
  const money = await MoneyScene.make(one.url, undefined, { access: MAY_ERASE });
  const { client } = money;
  await stored(client, 'effect', {
    ...{ handle: 'tells', signal: 'intent-updated', action: { schema: 'webhook', endpoint: 'http://127.0.0.1:9/' } },
  });
  const made = signed({ handle: 'paid', claims: [issue('alice', 9)], custom: { name: SECRET_NAME } }, client.key);
  expect((await client.call('POST', '/intents', made)).status).toBe(201);
  const record: RecordEnvelope = await money.ends('paid', 'completed');
  const changes: number = ok(await client.get('/intents/paid/changes')).body.page.total;
  const erase = (at = client, change = changes) =>
    at.call('POST', `/intents/${record.luid}/erase`, erasureOf(record.luid, change, client.key));
  return { money, client, other: client.at(two.url), made, record, changes, erase };
}

it('two erasures of an intent, by two processes, make one change', async () => {
  const { client, other, record, erase } = await paid();
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => erase(at % 2 ? client : other)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(ok(await client.get(`/intents/${record.luid}/changes`)).body.page.total).toBe(1);
  await auditLogs(servers.databaseUrl);
});

it('a late proof comes before the erasure, which then is refused, or finds nothing', async () => {
  for (let times = 0; times < 12; times += 1) {
    const { money, client, other, record, changes, erase } = await paid();
    const said = () =>
      other.call('POST', '/intents/paid/proofs', proofOver(record.hash, client.key, { name: SECRET_NAME }));
    const [erased, proven] = await Promise.all(times % 2 ? [erase(), said()] : [said(), erase()].reverse());
    expect([`${erased!.status} ${proven!.status}`]).toEqual([expect.stringMatching(/^(200 404|422 200)$/)]);
    if (erased!.status === 422) ok(await erase(client, changes + 1));
    expect(tablesWith(await dump(servers.databaseUrl), [SECRET_NAME])).toEqual([]);
    expect(await money.balance('alice')).toEqual([9, 0]);
  }
  await auditLogs(servers.databaseUrl);
});

it.each([
  ['proof', [200, 422]],
  ['erasure', [200, 404]],
])('of a late proof and an erasure that meet at the record, the %s comes first', async (first, statuses) => {
  const { client, other, record, changes, erase } = await paid();
  const { databaseUrl: url } = servers;
  await auditLogs(url);
  const said = () =>
    other.call('POST', '/intents/paid/proofs', proofOver(record.hash, client.key, { name: SECRET_NAME }));
  const lock = 'select from record where luid = $1 for update';
  const answers = await whileLocked(url, lock, [record.luid], async (_, waiting) => {
    const [one, two] = first === 'proof' ? [said, erase] : [erase, said];
    const answer = one();
    await waiting(1);
    const later = two();
    await waiting(2);
    return [answer, later];
  });
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(statuses);
  if (first === 'proof') ok(await erase(client, changes + 1));
  expect(tablesWith(await dump(url), [SECRET_NAME])).toEqual([]);
  await auditLogs(url);
});

it('the body that made it, sent again meanwhile, pays nothing', async () => {
  for (let times = 0; times < 6; times += 1) {
    const { money, client, other, made, erase } = await paid();
    const [erased, ...again] = await Promise.all([
      erase(),
      ...[client, other, client, other].map((at) => at.call('POST', '/intents', made)),
    ]);
    ok(erased);
    for (const { status } of again) expect([200, 409]).toContain(status);
    for (const at of [client, other]) expect((await at.call('POST', '/intents', made)).status).toBe(409);
    expect(await money.balance('alice')).toEqual([9, 0]);
    await money.ends(await money.intend([transfer('alice', 'bob', 9)]), 'completed');
  }
});

it('an erasure whose connection is killed has erased nothing, and is done when it is sent again', async () => {
  const { client, record, changes, erase } = await paid();
  const { databaseUrl: url } = servers;
  await eventually(async () => expect(await runSql(url, 'select from delivery where attempts > 0')).not.toEqual([]));
  await auditLogs(url);
  const before = await client.get(`/intents/${record.luid}/changes`);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from delivery for update');
    const answer = erase();
    // By now it has forgotten the texts, and waits for the delivery.
    await eventually(async () => {
      const text = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%order by d.handle for update%'`;
      expect(await runSql(url, text)).toHaveLength(1);
    });
    expect((await answer).status).toBeGreaterThanOrEqual(500);
  } finally {
    await holder.end();
  }
  expect((await client.get(`/intents/${record.luid}/changes`)).body.data).toEqual(before.body.data);
  expect(before.body.page.total).toBe(changes);
  ok(await erase());
  expect(tablesWith(await dump(url), [SECRET_NAME, record.hash])).toEqual([]);
  await auditLogs(url);
});

it('an erasure that PostgreSQL ends to let another transaction through is decided again', async () => {
  const { client, changes, erase, record } = await paid();
  const { databaseUrl: url } = servers;
  await eventually(async () => expect(await runSql(url, 'select from delivery where attempts > 0')).not.toEqual([]));
  await auditLogs(url);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  try {
    // It looks for a deadlock later than the erasure does, which so is the one to be ended.
    await holder.query(`set deadlock_timeout = '1min'`);
    await holder.query('begin');
    await holder.query('select from delivery for update');
    const answer = erase();
    await eventually(async () => {
      const waiting = `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%order by d.handle for update%'`;
      expect(await runSql(url, waiting)).toHaveLength(1);
    });
    await holder.query('select from change where luid = $1 and change = $2 for update', [record.luid, changes]);
    await holder.query('rollback');
    ok(await answer);
  } finally {
    await holder.end();
  }
  expect(ok(await client.get(`/intents/${record.luid}/changes`)).body.page.total).toBe(1);
  expect(tablesWith(await dump(url), [SECRET_NAME, record.hash])).toEqual([]);
});
