import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LedgerTask } from '../../src/metering/task.js';
import { workLimits } from '../../src/metering/work-limits.js';
import { newKey } from '../support/client.js';
import { withServer } from '../support/server.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made } from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** The steps that a read takes before its bridge is called, and afterwards. */
async function count(read: () => Promise<unknown>): Promise<[before: number, after: number]> {
  // What is spent is charged by it as well.
  const charged = vi.spyOn(LedgerTask.prototype, 'chargeUnbounded');
  const taken = () => charged.mock.calls.reduce((sum, [steps]) => sum + steps, 0);
  let before = 0;
  bridge.instead = (received) => {
    before = taken();
    return bridge.behave(received);
  };
  await read();
  const after = taken() - before;
  charged.mockRestore();
  return [before, after];
}

/** Reads with another bound of steps for one request. */
async function within<T>(bound: number, read: () => Promise<T>): Promise<T> {
  const work = workLimits as { request: number };
  const { request } = work;
  work.request = bound;
  try {
    return await read();
  } finally {
    work.request = request;
  }
}

describe('the steps of a read that a bridge answers', () => {
  it.each([
    ['/anchors', 'query'],
    ['/anchors/b', 'read'],
  ])('are counted anew when it has answered: %s', async (path, action) => {
    const founder = newKey();
    const access = [
      { action: 'access', record: 'ledger' },
      { action, record: 'anchor' },
      { action: 'any', record: 'any', signer: { public: founder.public } },
    ];
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect(action, 'fallback')], {
      key: founder,
      access,
    });
    // Nobody else may read these, so each is judged before the bridge is asked for its list.
    for (let index = 0; index < 20; index++) await made(client, '/anchors', anchor(`a-${index}`));
    bridge.keep(anchor('b'), founder);
    const read = () => client.get(path);
    // The first fills the caches, so that all that follow take the same steps.
    expect((await read()).status).toBe(200);
    const [before, after] = await count(read);
    expect(before).toBeGreaterThan(0);
    expect(after).toBeGreaterThan(before);
    const answer = await within(after, read);
    expect(answer.status, answer.text).toBe(200);
    const refused = await within(after - 1, read);
    expect([refused.status, refused.body.data?.reason]).toEqual([403, 'auth.forbidden']);
  });
});
