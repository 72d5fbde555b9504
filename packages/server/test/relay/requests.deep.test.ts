import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { transfer } from '../money/scene.js';
import { settled } from '../money/under-way.js';
import { signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { bearer } from '../support/token.js';
import { send, TwoSiblings } from './scene.js';

const siblings = new TwoSiblings();
const one = [transfer('alice', 'bob', 1)];

describe('a request that is sent to the leader', () => {
  it('is answered byte for byte as the leader answers, with the headers that follow from the answer', async () => {
    const text = '{"hash" : "\\u00e4\u00e9\u{1F600}" }\n';
    const { other } = await siblings.makeTold(({ answer }) =>
      answer(429, text, { retryAfter: 7, hint: 'a hint', confidential: true }),
    );
    const { answer } = await send(other, one);
    expect([answer.status, answer.text]).toEqual([429, text]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '7',
      'x-hint': 'a hint',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
    expect(answer.headers.has('countersign-head')).toBe(false);
  });

  it('has the headers and the status that it has when the leader is asked itself, refused or not', async () => {
    const { money, other } = await siblings.makeLedger();
    await send(other, one);
    const asked = async (client: typeof other, body: unknown, headers = {}) => {
      const { status, headers: answered, body: told } = await client.call('POST', '/intents', body, headers);
      return { status, names: [...answered.keys()].sort(), data: told.data, proofs: told.meta.proofs.length };
    };
    for (const [sent, headers] of [
      ['{"data":', {}],
      ['\ud800', {}],
      [undefined, {}],
      [{ data: {} }, {}],
      [signed({ handle: 'x', claims: [{ action: 'none' }] }, money.client.key), {}],
      [signed({ handle: 'x', claims: one }, money.client.key), { authorization: 'Bearer none' }],
      [signed({ handle: 'x', claims: one }, money.client.key), { 'content-type': 'text/plain' }],
    ] as const) {
      const direct = await asked(money.client, sent, headers);
      expect(await asked(other, sent, headers)).toEqual(direct);
      expect(direct.status).toBeGreaterThanOrEqual(400);
    }
    const prefer = { prefer: 'wait=10' };
    const created = (handle: string) => signed({ handle, claims: one }, money.client.key);
    const direct = await asked(money.client, created('direct'), prefer);
    const sent = await asked(other, created('sent'), prefer);
    expect([sent.status, sent.names, sent.proofs]).toEqual([direct.status, direct.names, direct.proofs]);
    expect(sent.names).toContain('countersign-log-index');
  });

  it('has the headers, address and body that its client sent, and nothing of what is said between processes', async () => {
    const { other, told } = await siblings.makeTold(({ answer }) => answer(200, '{}'));
    const forged = { 'countersign-head': '{"ip":"10.0.0.1"}', connection: 'x-hop', 'x-hop': 'kept', te: 'trailers' };
    const body = '{ "a": "\\u00e4\u00e9" }';
    await other.call('POST', '/intents/?a=%20b', body, { ...forged, 'x-one': 'caf\u00e9' });
    const [{ head, body: sent, incoming }] = told.requests as [(typeof told.requests)[number]];
    expect(sent).toBe(body);
    // As Node.js reads the bytes of a header.
    const read = Buffer.from('caf\u00e9').toString('latin1');
    expect(head.headers).toMatchObject({ ...forged, 'x-one': read, 'x-ledger': other.ledger });
    expect(head.id).toMatch(/^req-/);
    expect([head.url, head.ip, head.hasUsedToken]).toEqual(['/v2/intents/?a=%20b', '127.0.0.1', false]);
    expect(incoming.headers['x-hop']).toBeUndefined();
  });

  it('is of no other user: neither folder nor socket can be opened by one', async () => {
    const { money } = await siblings.makeLedger();
    expect((await stat(siblings.folder)).mode & 0o077).toBe(0);
    expect((await stat(await siblings.pathOfLeader(money))).mode & 0o077).toBe(0);
  });

  it('cannot be made by a client: at its own port the head has no meaning', async () => {
    const { money } = await siblings.makeLedger();
    const luid = '$int.0000000000000000000000000000';
    const head = JSON.stringify({
      id: 'req-1',
      ledger: '',
      luid,
      url: '/',
      headers: {},
      ip: '::2',
      hasUsedToken: true,
    });
    const sent = signed({ handle: 'forged', claims: one }, money.client.key);
    const { status, body } = await money.client.call('POST', '/intents', sent, { 'countersign-head': head });
    expect(status).toBe(201);
    expect(body.luid).not.toBe(luid);
    const root = await money.client
      .at(money.client.url.replace('/v2', ''))
      .call('POST', '/', sent, { 'countersign-head': head });
    expect(root.status).toBe(404);
  });

  it('counts for its sender until the leader knows its caller, then for the ledger', async () => {
    const { sender, patience } = bodyLimits.memory;
    // For one large body, and not for two.
    Object.assign(bodyLimits.memory, { sender: 1.5 * bodyLimits.small, patience: 60_000 });
    const second = await siblings.start();
    Object.assign(bodyLimits.memory, { sender, patience });
    const { other, told } = await siblings.makeTold(() => {}, second);
    const large = { ...signed({ handle: 'large', claims: one }, other.key), note: 'n'.repeat(bodyLimits.small) };
    const answers = [1, 2].map(() => other.call('POST', '/intents', large));
    await eventually(() => expect(told.requests).toHaveLength(1));
    // The second waits for memory, which the sender has again once the first counts for the ledger.
    told.requests[0]!.response.writeProcessing();
    await eventually(() => expect(told.requests).toHaveLength(2));
    for (const { answer } of told.requests) answer(200, '{}');
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    await second.stop();
  });

  it('counts for its sender at the leader, too, which says when it does no longer', async () => {
    const { money, other } = await siblings.makeLedger();
    await send(other, one);
    const note = 'n'.repeat(bodyLimits.small);
    const refused = await other.call('POST', '/intents', { ...signed({ handle: 'l', claims: one }, other.key), note });
    expect([refused.status, refused.body.data.reason]).toEqual([422, 'record.schema-invalid']);
    const taken = await other.create('/intents', { handle: 'large', claims: one, custom: { note } });
    expect(taken.status, taken.text).toBe(201);
    expect((await money.read('large')).meta.status).toBe('completed');
  });

  it('ends when its client goes', async () => {
    const { other, told } = await siblings.makeTold(() => {});
    const socket = begin(other, 'gone');
    await eventually(() => expect(told.requests).toHaveLength(1));
    const ended = once(told.requests[0]!.incoming.socket, 'close');
    socket.destroy();
    await ended;
  });

  it('uses up a token that is good for one use, which is then no good for another', async () => {
    const { other } = await siblings.makeLedger();
    await send(other, one);
    const token = bearer(other.key, { jti: 'once' });
    const use = (handle: string) => other.call('POST', '/intents', signed({ handle, claims: one }, other.key), token);
    expect((await use('first')).status).toBe(201);
    const again = await use('second');
    expect([again.status, again.body.data.reason]).toEqual([401, 'auth.unauthorized']);
  });
});

describe('a request goes to one other process at most', () => {
  it('when each takes the other for the leader', async () => {
    const { money, other } = await siblings.makeLedger();
    await send(other, one);
    const its = await siblings.leaderOf((await siblings.makeLedger({}, siblings.second)).money);
    const before = await siblings.handed('back');
    await siblings.moveLeader(money, its);
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    // The first finds that the second is the leader, which then decides.
    expect((await money.read(handle)).meta.status).toBe('completed');
    expect(await siblings.handed('back')).toBe(before + 1);
    expect(await siblings.leaderOf(money)).toBe(its);
    await siblings.moveLeader(money, its);
  });

  it('when the leader stops: it answers what it has, and then the other one decides', async () => {
    const leader = await siblings.start();
    const { money, other } = await siblings.makeLedger({}, leader);
    await send(other, one);
    const { hold, release } = await holdCommits();
    const answered = await siblings.handed('answered');
    const sent = send(other, one);
    await hold;
    const stopped = leader.stop();
    await release();
    const { answer } = await sent;
    await stopped;
    expect(answer.status, answer.text).toBe(201);
    expect(await siblings.handed('answered')).toBe(answered + 1);
    Object.assign(money, { client: other });
    const next = await send(other, one);
    expect(next.answer.status, next.answer.text).toBe(201);
    expect(await settled(money, next.handle)).toBe('completed');
  });

  it('when the leader stops and nobody waits any more for what it has', async () => {
    const leader = await siblings.start();
    const { money, other } = await siblings.makeLedger({}, leader);
    await send(other, one);
    const { hold, release } = await holdCommits();
    const back = await siblings.handed('back');
    const client = begin(other, 'left');
    await hold;
    client.destroy();
    await eventually(async () => expect(await siblings.handed('back')).toBe(back + 1));
    const stopped = leader.stop();
    await release();
    await stopped;
    Object.assign(money, { client: other });
    expect(await settled(money, 'left')).toBe('completed');
  });
});

/** Keeps the database from storing anything. @returns `hold` ends once something waits to be stored */
async function holdCommits() {
  const gate = new pg.Client({ connectionString: siblings.database.url });
  await gate.connect();
  await gate.query('begin; lock table change in exclusive mode');
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return {
    hold: eventually(async () => expect((await gate.query(waiting)).rows).not.toEqual([])),
    async release() {
      await gate.query('rollback');
      await gate.end();
    },
  };
}

/** Sends an intent, and leaves its answer alone. */
function begin({ url, ledger, key }: TestClient, handle: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify(signed({ handle, claims: one }, key));
  const head = [
    'POST /v2/intents HTTP/1.1',
    'host: a',
    `x-ledger: ${ledger}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}
