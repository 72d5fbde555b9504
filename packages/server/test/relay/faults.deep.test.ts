import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { siblingLimits } from '../../src/http/relay/sibling-limits.js';
import { query } from '../events/support.js';
import { transfer } from '../money/scene.js';
import { settled } from '../money/under-way.js';
import { signed } from '../support/client.js';
import { bearer } from '../support/token.js';
import { send, TwoSiblings } from './scene.js';
import { send as sendTo } from './told-leader.js';

const siblings = new TwoSiblings();
const one = [transfer('alice', 'bob', 1)];

/** How often the intent was created. */
async function storedOf(luid: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    siblings.first,
    "select count(*)::int as count from change where luid = $1 and action = 'create'",
    [luid],
  );
  return row!.count;
}

describe('an intent is decided on, and its client is told so, when', () => {
  it('the answer of the leader makes no sense', async () => {
    const { money, other, told } = await siblings.makeTold(({ response }) => void response.end('perhaps'));
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(told.requests).toHaveLength(1);
    expect(await settled(money, handle)).toBe('completed');
  });

  it('nobody listens where the leader should', async () => {
    const leader = await siblings.start();
    const { money, other } = await siblings.makeLedger({}, leader);
    await rm(await siblings.pathOfLeader(money));
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(await settled(money, handle)).toBe('completed');
    // One that is only accepted has the same trail.
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    expect(body.data).toHaveLength(8);
    expect(await money.trail(handle)).toHaveLength(9);
    await leader.stop();
  });

  it.each(['../../elsewhere/x', 'nobody', '1/2/0123456789abcdef', ''])('the leader is called %j', async (holder) => {
    const { money, other } = await siblings.makeLedger();
    await query(
      siblings.first,
      `update home set holder = $1, until = clock_timestamp() + interval '2 seconds'
        where ledger_id = (select id from ledger where handle = $2)`,
      [holder, other.ledger],
    );
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    expect(await settled(money, handle)).toBe('completed');
  });
});

describe('where it is unknown whether the leader has stored it', () => {
  it('what it has stored is answered as the leader would have, and decided on once', async () => {
    let lost: string | undefined;
    const { money, other } = await siblings.makeTold(async ({ pass, incoming }) => {
      lost = (await pass()).body;
      incoming.socket.destroy();
    });
    const { handle, answer } = await send(other, one);
    expect([answer.status, answer.text]).toEqual([201, lost]);
    expect(await settled(money, handle)).toBe('completed');
    expect(await storedOf(answer.body.luid)).toBe(1);
    expect((await other.get(`/intents/${handle}/changes/1`)).body.meta.proofs).toEqual(answer.body.meta.proofs);
  });

  it('what it has not is decided on here, and what it does later changes nothing', async () => {
    let late: (() => Promise<unknown>) | undefined;
    const { money, other } = await siblings.makeTold(({ pass, incoming }) => {
      late = pass;
      incoming.socket.destroy();
    });
    const { handle, answer } = await send(other, one);
    expect(answer.status, answer.text).toBe(201);
    await late!();
    expect(await settled(money, handle)).toBe('completed');
    expect(await storedOf(answer.body.luid)).toBe(1);
    expect((await other.get(`/intents/${handle}/changes/1`)).body.meta.proofs).toEqual(answer.body.meta.proofs);
  });

  it('an intent that was there before is answered as one that was sent again', async () => {
    const { money, other } = await siblings.makeTold(({ incoming }) => void incoming.socket.destroy());
    const body = signed({ handle: 'before', claims: one }, money.client.key);
    expect((await money.client.call('POST', '/intents', body)).status).toBe(201);
    expect((await other.call('POST', '/intents', body)).status).toBe(200);
    const taken = await other.create('/intents', { handle: 'before', claims: [transfer('alice', 'bob', 2)] });
    expect(taken.status, taken.text).toBe(409);
  });

  it('a token that is good for one use is used once', async () => {
    let isStored = false;
    const { other } = await siblings.makeTold(async ({ pass, incoming, head }) => {
      expect(head.hasUsedToken).toBe(true);
      if (isStored) await pass();
      incoming.socket.destroy();
    });
    for (const handle of ['stored-here', 'stored-there']) {
      const token = bearer(other.key, { jti: handle });
      const use = (name: string) =>
        other.call('POST', '/intents', signed({ handle: name, claims: one }, other.key), token);
      expect((await use(handle)).status).toBe(201);
      const again = await use(`${handle}-again`);
      expect([again.status, again.body.data.reason]).toEqual([401, 'auth.unauthorized']);
      isStored = true;
    }
  });
});

describe('a leader that does not answer', () => {
  const { silence } = siblingLimits;

  it('is waited for while it says that it is there, and no longer than a request may take', async () => {
    Object.assign(siblingLimits, { silence: 200 });
    const second = await siblings.start();
    try {
      const { other, told } = await siblings.makeTold(() => {}, second);
      Object.assign(second.server.service, { requestTimeout: 2_000 });
      const { answer } = await send(other, one);
      expect([answer.status, answer.body.data.reason]).toEqual([408, 'api.request-timeout']);
      expect(told.pings).toBeGreaterThan(2);
    } finally {
      Object.assign(siblingLimits, { silence });
      await second.stop();
    }
  });

  it('is given up when it says nothing at all', async () => {
    Object.assign(siblingLimits, { silence: 200 });
    const second = await siblings.start();
    try {
      const { money, other } = await siblings.makeTold(({ fallSilent }) => fallSilent(), second);
      const { handle, answer } = await send(other, one);
      expect(answer.status, answer.text).toBe(201);
      expect(await settled(money, handle)).toBe('completed');
    } finally {
      Object.assign(siblingLimits, { silence });
      await second.stop();
    }
  });
});

describe('what no process of the deployment has sent', () => {
  const HEAD = {
    id: 'req-1',
    ledger: '$ldg.unknown',
    luid: '$int.0123456789abcdef-',
    url: '/v2/intents',
    headers: {},
    ip: '::1',
    hasUsedToken: false,
  };

  it.each([
    ['no HTTP', 'garbled\r\n\r\n'],
    ['no head', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'],
    ['a head that is no JSON', 'POST / HTTP/1.1\r\nhost: a\r\ncountersign-head: {\r\ncontent-length: 0\r\n\r\n'],
  ])('closes the connection and changes nothing: %s', async (_, sent) => {
    const { money, other } = await siblings.makeLedger();
    const socket = connect(await siblings.pathOfLeader(money));
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.resume().write(sent);
    await closed;
    const { handle } = await send(other, one);
    expect((await money.read(handle)).meta.status).toBe('completed');
  });

  it('is what these are not: of an unknown ledger, the rest in order', async () => {
    const { money } = await siblings.makeLedger();
    await expect(sendTo(await siblings.pathOfLeader(money), JSON.stringify(HEAD), '')).resolves.toBeDefined();
  });

  it.each([
    ['null', null],
    ['no number of the request', { ...HEAD, id: 1 }],
    ['no luid of an intent', { ...HEAD, luid: '$wlt.0123456789abcdef-' }],
    ['headers that are none', { ...HEAD, headers: null }],
    ['no address', { ...HEAD, ip: 1 }],
    ['no word on the token', { ...HEAD, hasUsedToken: 'no' }],
  ])('is told in the log: %s', async (_, head) => {
    const { money } = await siblings.makeLedger();
    const told = siblings.lines.length;
    await expect(sendTo(await siblings.pathOfLeader(money), JSON.stringify(head), '')).rejects.toThrow('hang up');
    expect(siblings.lines.slice(told).join()).toContain('a process of this machine was not understood');
  });
});
