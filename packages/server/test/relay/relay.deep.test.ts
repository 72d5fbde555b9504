import type { JsonObject } from '@countersign/protocol';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { siblingLimits } from '../../src/http/relay/sibling-limits.js';
import { sequencerLimits } from '../../src/money/sequencer-limits.js';
import { settleLimits } from '../../src/store/money/settle-limits.js';
import { query } from '../events/support.js';
import { issue, limit, transfer } from '../money/scene.js';
import { balanceOf, settled } from '../money/under-way.js';
import { newKey, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok, stored } from '../support/scene.js';
import { startServer } from '../support/server.js';
import { send, TwoSiblings } from './scene.js';

const siblings = new TwoSiblings();
const POLICY = { schema: 'access', values: [] };
const one = [transfer('alice', 'bob', 1)];

describe('an intent of which another process is the leader', () => {
  it('is settled when its answer comes, by one commit of the leader', async () => {
    const { money, other } = await siblings.makeLedger();
    const before = await siblings.handed('answered');
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect((await money.read(handle)).meta.status).toBe('completed');
    expect(await siblings.handed('answered')).toBe(before + 1);
    const versions = await query<{ xmin: string }>(
      siblings.first,
      'select change, xmin::text from change where luid = $1',
      [answer.body.luid],
    );
    expect(versions).toHaveLength(8);
    expect(new Set(versions.map(({ xmin }) => xmin)).size).toBe(1);
    expect(await money.trail(handle)).toHaveLength(9);
    expect(await balanceOf(money, 'bob')).toEqual([1]);
  });

  it('is answered as the leader answers its own', async () => {
    const { money, other } = await siblings.makeLedger();
    const mine = await send(money.client, one);
    const { handle, answer } = await send(other, one);
    expect([answer.status, answer.body.meta.status]).toEqual([201, 'pending']);
    expect(Object.keys(answer.body.meta)).toEqual(Object.keys(mine.answer.body.meta));
    expect(answer.body.meta.proofs).toHaveLength(mine.answer.body.meta.proofs.length);
    const { body } = await other.get(`/intents/${handle}/changes/1`);
    expect([body.luid, body.hash, body.meta.proofs]).toEqual([
      answer.body.luid,
      answer.body.hash,
      answer.body.meta.proofs,
    ]);
  });

  it('is logged by the process that it came to, with whom the leader took its sender for', async () => {
    const lines: JsonObject[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const third = await startServer({ database: siblings.database, siblings: siblings.folder, logger, accessLog: 1 });
    try {
      const { money } = await siblings.makeLedger();
      const at = money.client.at(third.url);
      const answer = await at.call('POST', '/intents', signed({ handle: 'logged', claims: one }, at.key), {
        'x-request-id': 'mine',
      });
      expect(answer.status, answer.text).toBe(201);
      await eventually(() => expect(lines.some(({ msg }) => msg === 'request')).toBe(true));
      expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({
        ...{ reqId: 'mine', route: '/v2/intents', status: 201, ledger: at.ledger, decision: 'granted' },
        who: { key: at.key.public.slice(0, 12) },
      });
    } finally {
      await third.stop();
    }
  });

  it('is told what stands in its way', async () => {
    const { money, other } = await siblings.makeLedger();
    const body = signed({ handle: 'once', claims: one }, money.client.key);
    ok(await money.client.call('POST', '/intents', body));
    const again = await other.call('POST', '/intents', body);
    expect([again.status, again.body.meta.status]).toEqual([200, 'completed']);
    const taken = await other.create('/intents', { handle: 'once', claims: [transfer('alice', 'bob', 2)] });
    expect(taken.status, taken.text).toBe(409);
    expect(taken.body.data).toEqual({
      reason: 'record.duplicated',
      detail: 'Intent with handle once already exists.',
    });
    const { handle } = await send(other, [transfer('bob', 'alice', 100)]);
    expect((await money.read(handle)).meta.status).toBe('rejected');
  });

  it('has the rights of those who signed it, and of nobody else', async () => {
    const key = newKey();
    const access = [
      { action: 'any', record: 'any', signer: { public: key.public } },
      { action: 'access' },
      { action: 'create', record: 'intent' },
      { action: 'read', record: 'any' },
    ] as JsonObject[];
    const { money, other } = await siblings.makeLedger({ key, access });
    const { handle, answer } = await send(other.as(newKey()), one);
    expect(answer.status, answer.text).toBe(201);
    expect((await money.read(handle)).meta.status).toBe('pending');
    expect(await balanceOf(money, 'alice')).toEqual([1_000]);
    expect((await money.read((await send(other, one)).handle)).meta.status).toBe('completed');
  });

  it('is decided on when either knows an older state of the ledger', async () => {
    const { money, other } = await siblings.makeLedger();
    await send(other, one);
    const before = await siblings.handed('answered');
    await stored(money.client, 'policy', { ...POLICY, handle: 'at-home' });
    const stale = await send(other, one);
    expect(stale.answer.status).toBe(201);
    expect((await money.read(stale.handle)).meta.status).toBe('completed');
    await stored(other, 'policy', { ...POLICY, handle: 'elsewhere' });
    const newer = await send(other, one);
    expect((await money.read(newer.handle)).meta.status).toBe('completed');
    expect(await siblings.handed('answered')).toBe(before + 2);
  });

  it('is refused with 503 when too many wait at its leader', async () => {
    const { money, other } = await siblings.makeLedger();
    const { queue } = sequencerLimits;
    const { batch } = settleLimits;
    // One intent is stored at a time, and one decided on meanwhile: with those that wait the leader has six at most.
    const most = 6;
    Object.assign(sequencerLimits, { queue: 4 });
    Object.assign(settleLimits, { batch: 1 });
    await send(other, one);
    const gate = new pg.Client({ connectionString: siblings.database.url });
    await gate.connect();
    const mine: Promise<unknown>[] = [];
    try {
      await gate.query('begin; lock table change in exclusive mode');
      const first: number[] = [];
      for (let n = 0; n < 20; n += 1)
        mine.push(send(money.client, one).then(({ answer }) => first.push(answer.status)));
      await eventually(() => expect(20 - first.length).toBeLessThanOrEqual(most));
      expect(new Set(first)).toEqual(new Set([503]));
      // Where they came before the leader had begun with any, there is room for two more.
      const second: Awaited<ReturnType<typeof send>>['answer'][] = [];
      await eventually(() => {
        mine.push(send(other, one).then(({ answer }) => second.push(answer)));
        expect(second.length).toBeGreaterThan(0);
      });
      for (const { status, text, body } of [...second]) {
        expect(status, text).toBe(503);
        expect(body.data.detail).toBe('The service is not available at the moment. Retry later.');
      }
    } finally {
      Object.assign(sequencerLimits, { queue });
      Object.assign(settleLimits, { batch });
      await gate.query('rollback');
      await gate.end();
      await Promise.all(mine);
    }
    expect((await send(other, one)).answer.status).toBe(201);
  });

  it('is kept for its leader to find where as many calls of its ledger are under way as may be', async () => {
    const { money, other } = await siblings.makeLedger();
    await send(other, one);
    const { ledger } = siblingLimits.calls;
    const before = await siblings.handed('answered');
    try {
      Object.assign(siblingLimits.calls, { ledger: 0 });
      const { handle, answer } = await send(other, one);
      expect(answer.status, answer.text).toBe(201);
      expect(await settled(money, handle)).toBe('completed');
    } finally {
      Object.assign(siblingLimits.calls, { ledger });
    }
    expect(await siblings.handed('answered')).toBe(before);
  });

  it('keeps a daily limit that the other has set, whoever they take for the leader', async () => {
    const { money, other } = await siblings.makeLedger({ config: { 'limits.aggregated.enabled': true } });
    const mine = await siblings.leaderOf(money);
    const its = await siblings.leaderOf((await siblings.makeLedger({}, siblings.second)).money);
    // The other becomes the leader, and sets the limit.
    await siblings.moveLeader(money, its);
    await settled(money, (await send(other, [issue('bob', 1)])).handle);
    await settled(money, (await send(other, [limit('alice', 'dailyCount', 2)])).handle);
    expect(await siblings.leaderOf(money)).toBe(its);
    await siblings.moveLeader(money, mine);
    expect(await settled(money, (await send(money.client, one)).handle)).toBe('completed');
    expect(await settled(money, (await send(money.client, one)).handle)).toBe('rejected');
  });
});
