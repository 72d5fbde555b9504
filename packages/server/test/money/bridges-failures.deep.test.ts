import type { JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MovedClock } from '../deliveries/scene.js';
import { signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';
import { reportWell, verbOf, withBridges } from './bridge.js';
import { bridgedScene, shortTrail } from './bridge-scene.js';
import { checkBooks } from './invariants.js';
import { type MoneyScene, transfer } from './scene.js';

const clock = new MovedClock();
/** Calls are given up as recorded, without further attempts. */
const server = withOwnServer({ deliveryAllowPrivate: true, runtime: clock.runtime, deliveries: { retryFor: 0 } });
const bridges = withBridges('bank', 'other');
const { bank, other } = bridges;

beforeEach(() => {
  // Clients sign with the time as it is.
  clock.ahead = 0;
  bank.reset();
  other.reset();
});
afterEach(() => checkBooks(server.current.database.url));

const scene = (more: { bank?: JsonObject; config?: JsonObject } = {}) =>
  bridgedScene(server.current.url, bridges, more);

/** What is shown of a delivery. */
interface Shown {
  readonly data: { readonly handle: string };
  readonly meta: {
    readonly status: string;
    readonly replay: number;
    readonly output: JsonObject;
    readonly proofs: { readonly custom: JsonObject }[];
  };
}

async function deliveriesOf(money: MoneyScene, bridge = 'bank'): Promise<Shown[]> {
  const { body } = await money.client.get(`/bridges/${bridge}/events`);
  return body.data;
}

/** Moves the clock on until the only delivery of the bridge has ended so. */
async function untilGivenUp(money: MoneyScene): Promise<Shown> {
  return eventually(async () => {
    clock.ahead += 10_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [one] = await deliveriesOf(money);
    expect(one!.meta.status).toBe('cancelled');
    return one!;
  });
}

function customsOf({ meta }: Shown): JsonObject[] {
  return meta.proofs.map(({ custom: { moment: _, ...others } }) => others);
}

function answer(status: number, body = ''): void {
  bank.instead = (_, response) => response.writeHead(status).end(body);
}

const REJECTED = { reason: 'delivery.target-rejected', status: 'failed' };
const CAPPED = { reason: 'delivery.retry-cap-exhausted', status: 'cancelled' };

function errorsIn(trail: [string, JsonObject][]): JsonObject[] {
  return trail.filter(([, { status }]) => status === 'error').map(([, said]) => said);
}

/** Asks for a delivery to be made again. */
async function retry(money: MoneyScene, data: JsonObject): Promise<void> {
  const path = '/bridges/bank/events/retry';
  const answered = await money.client.call('POST', path, signed(data, money.client.key, {}));
  expect(answered.status, answered.text).toBe(202);
}

describe('a prepare that is refused', () => {
  it.each([
    ['a body', '{"why":"closed"}', '{"why":"closed"}'],
    ['none', '', '{}'],
  ])('is tried six times; the last failure shows %s, the intent notes it once, and waits', async (_, body, shown) => {
    const money = await scene();
    answer(503, body);
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    const given = await untilGivenUp(money);
    expect(given.meta.replay).toBe(6);
    expect(customsOf(given)).toEqual([
      ...Array(5).fill({ ...REJECTED, detail: { httpStatus: 503 } }),
      { ...REJECTED, detail: { httpStatus: 503, body: shown } },
      CAPPED,
    ]);
    const note = {
      detail: 'Request failed with status code 503',
      reason: 'core.bridge-unreachable',
      status: 'error',
    };
    await eventually(async () => expect(errorsIn(await money.trail(handle))).toEqual([note]));
    expect((await money.read(handle)).meta.status).toBe('pending');
    // All bodies were the same, text for text.
    expect(new Set(bank.calls.map(({ text }) => text)).size).toBe(1);
    expect(bank.calls).toHaveLength(6);
    expect(given.meta.output).toEqual(bank.calls[0]!.body);
    // An operator has it made again: the report carries the intent on.
    bank.reset();
    await retry(money, { handle: given.data.handle });
    await money.ends(handle, 'completed');
    expect(errorsIn(await money.trail(handle))).toEqual([note]);
    expect((await shortTrail(money, handle)).slice(4, 7)).toEqual(['system error', 'bank prepared', 'system prepared']);
  });

  it('is noted once though it is given up again', async () => {
    const money = await scene();
    answer(501);
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    const given = await untilGivenUp(money);
    expect(customsOf(given)).toEqual([
      { ...REJECTED, detail: { body: '{}', httpStatus: 501 } },
      { reason: 'delivery.permanent-failure', status: 'cancelled' },
    ]);
    await eventually(async () => expect(errorsIn(await money.trail(handle))).toHaveLength(1));
    await retry(money, { maxAge: 60 });
    await eventually(async () => {
      const [one] = await deliveriesOf(money);
      expect([one!.meta.status, one!.meta.replay]).toEqual(['cancelled', 2]);
    });
    bank.reset();
    await retry(money, { maxAge: 60 });
    await money.ends(handle, 'completed');
    expect(errorsIn(await money.trail(handle))).toHaveLength(1);
  });

  it('is tried eleven times where nobody answers', async () => {
    const money = await scene();
    bank.instead = (_, response) => response.destroy();
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    const given = await untilGivenUp(money);
    expect(given.meta.replay).toBe(11);
    expect(customsOf(given)).toEqual([
      ...Array(11).fill({
        ...{ reason: 'delivery.target-unreachable', status: 'failed' },
        detail: { code: expect.any(String), message: expect.any(String) },
      }),
      CAPPED,
    ]);
    const { message } = customsOf(given)[0]!.detail as JsonObject;
    await eventually(async () => {
      expect(errorsIn(await money.trail(handle))).toEqual([
        { detail: message, reason: 'core.bridge-unreachable', status: 'error' },
      ]);
    });
  });

  it('is never made with a security rule that nobody can apply', async () => {
    const money = await scene();
    const record = (await money.client.get('/bridges/bank')).body;
    const secure = [{ schema: 'vault', public: 'x', secret: '{{ secret.key }}' }];
    const { parent: _, ...data } = record.data;
    const body = signed({ ...data, secure, parent: record.hash }, money.client.key, {}, { luid: record.luid });
    const update = { ...body, meta: { ...body.meta, secret: { key: 'v' } } };
    expect((await money.client.call('PUT', '/bridges/bank', update)).status).toBe(200);
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    const given = await untilGivenUp(money);
    expect(customsOf(given)).toEqual([
      ...Array(6).fill({ reason: 'delivery.unexpected-error', status: 'failed' }),
      CAPPED,
    ]);
    expect(bank.calls).toEqual([]);
    await eventually(async () => {
      const [note] = errorsIn(await money.trail(handle));
      expect(note!.detail).toBe("No handler found for security rule schema 'vault' in bridge 'bank' (rule #1)");
    });
  });

  it('expires with the intent, whose part is told to abort', async () => {
    const money = await scene({ config: { 'intent.expiryThresholdMinutes': 60 } });
    answer(503);
    const handle = await money.intend([transfer('alice', 'acc', 1)]);
    await untilGivenUp(money);
    bank.reset();
    clock.ahead += 3_600_000;
    await money.ends(handle, 'rejected');
    await bank.until('abort credits', 'status');
    expect(await money.balance('alice')).toEqual([1_000, 0]);
  });
});

describe('a bridge that accepts, and does not report', () => {
  it('lets the intent expire with trail H', async () => {
    const money = await scene({ config: { 'intent.expiryThresholdMinutes': 1 } });
    bank.report = (call) => (verbOf(call).startsWith('prepare') ? undefined : reportWell(call));
    const handle = await money.intend([transfer('far', 'acc', 5)]);
    await bank.until('prepare credits');
    expect(await money.balance('far')).toEqual([995, 5]);
    clock.ahead += 60_000;
    await money.ends(handle, 'rejected');
    const trail = await money.trail(handle);
    const [debit, credit] = [trail[0]![1].handle, trail[1]![1].handle];
    expect(trail.slice(4, 10)).toEqual([
      ['other', { handle: debit, status: 'prepared', coreId: 'tx-1' }],
      ['system', { detail: `Intent ${handle} expired`, reason: 'core.intent-expired', status: 'failed' }],
      ['system', { status: 'aborted' }],
      ['core', { handle: debit, schema: 'debit', status: 'aborted' }],
      ['core', { handle: credit, schema: 'credit', status: 'aborted' }],
      expect.arrayContaining([expect.objectContaining({ status: 'aborted' })]),
    ]);
    expect((await shortTrail(money, handle)).slice(9, 11).sort()).toEqual(['bank aborted', 'other aborted']);
    expect(trail.at(-1)).toEqual(['system', { status: 'rejected' }]);
    expect(await money.balance('far')).toEqual([1_000, 0]);
    // A report that comes after the end is kept, and changes nothing.
    await bank.say(bank.only('prepare credits'), { status: 'prepared' });
    const { meta } = await money.read(handle);
    expect([meta.status, meta.proofs.at(-1).custom.status]).toEqual(['rejected', 'prepared']);
  });

  it('leaves the intent committed for good: nothing expires, balances are settled, and an operator may repeat the call', async () => {
    const money = await scene({ config: { 'intent.expiryThresholdMinutes': 1 } });
    bank.report = (call) => (verbOf(call) === 'commit credits' ? undefined : reportWell(call));
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    await bank.until('prepare credits', 'status', 'commit credits');
    clock.ahead += 3_600_000;
    await money.done([transfer('alice', 'bob', 1)]);
    expect((await money.read(handle)).meta.status).toBe('committed');
    expect([await money.balance('alice'), await money.balance('acc')]).toEqual([
      [994, 0],
      [1_005, 0],
    ]);
    await bank.until('prepare credits', 'status', 'commit credits');
    const deliveries = await deliveriesOf(money);
    const commit = deliveries.find(({ meta }) => (meta.output.data as JsonObject)?.action === 'commit')!;
    expect(commit.meta.status).toBe('delivered');
    bank.report = reportWell;
    // A prepare fails no more once it is committed.
    await bank.say(bank.only('commit credits'), { status: 'failed', reason: 'bridge.entry-rejected' });
    expect((await money.read(handle)).meta.status).toBe('committed');
    await retry(money, { handle: commit.data.handle });
    await money.ends(handle, 'completed');
    const texts = bank.calls.filter((call) => verbOf(call) === 'commit credits').map(({ text }) => text);
    expect([texts.length, new Set(texts).size]).toEqual([2, 1]);
  });

  it('leaves the intent aborted, with what was reserved given back', async () => {
    const money = await scene({ config: { 'intent.expiryThresholdMinutes': 1 } });
    bank.report = () => undefined;
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    await bank.until('prepare credits');
    clock.ahead += 60_000;
    await money.ends(handle, 'aborted');
    await bank.until('prepare credits', 'abort credits');
    expect(await money.balance('alice')).toEqual([1_000, 0]);
    await bank.say(bank.only('abort credits'), { status: 'aborted' });
    await money.ends(handle, 'rejected');
  });
});

describe('a commit that is given up', () => {
  it('is noted, and the intent stays committed until the call is made again', async () => {
    const money = await scene();
    bank.instead = (call, response) => {
      response.writeHead(verbOf(call) === 'commit credits' ? 501 : 202).end();
      if (verbOf(call).startsWith('prepare')) void bank.say(call, reportWell(call));
    };
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    await eventually(async () => {
      expect(errorsIn(await money.trail(handle))).toEqual([
        { detail: 'Request failed with status code 501', reason: 'core.bridge-unreachable', status: 'error' },
      ]);
    });
    expect((await money.read(handle)).meta.status).toBe('committed');
    bank.instead = undefined;
    await retry(money, { maxAge: 60 });
    await money.ends(handle, 'completed');
  });

  it('is not noted of a status that was not taken', async () => {
    const money = await scene();
    bank.instead = (call, response) => {
      response.writeHead(call.method === 'PUT' ? 501 : 202).end();
      if (call.method !== 'PUT') void bank.say(call, reportWell(call));
    };
    const handle = await money.intend([transfer('alice', 'acc', 5)]);
    await money.ends(handle, 'completed');
    await eventually(async () => {
      const statuses = (await deliveriesOf(money)).map(({ meta }) => meta.status).sort();
      expect(statuses).toEqual(['cancelled', 'cancelled', 'delivered', 'delivered']);
    });
    expect(errorsIn(await money.trail(handle))).toEqual([]);
  });
});
