import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withServer } from '../../server/test/support/server.js';
import { isRefusal, type SignedRequest, UnreachableError } from '../src/index.js';
import { makeLedger } from './support/ledger.js';
import { type Exchange, Liar } from './support/liar.js';

const server = withServer();
let liar: Liar;

beforeAll(async () => {
  liar = await Liar.before(server.current.url);
});
afterAll(() => liar.stop());

/** A client behind the liar, which loses or delays what it is told to. */
async function scene() {
  const own = await makeLedger(server.current.url);
  liar.seen.length = 0;
  liar.lie = () => undefined;
  return { ...own, ledger: own.connect({ server: liar.url, attempts: 4 }), direct: own.ledger };
}

/** Loses the first answers. */
function lose(times: number, how: (exchange: Exchange) => 'cut' | undefined = () => 'cut') {
  let lost = 0;
  liar.lie = (exchange) => {
    lost += 1;
    return lost <= times ? how(exchange) : undefined;
  };
}

const unavailable = (exchange: Exchange) => {
  Object.assign(exchange, { status: 503, raw: '<html>', answerHeaders: { 'retry-after': '0' } });
  return undefined;
};

describe('a lost answer', () => {
  it('of a write is asked for again with the same bytes, and the write is done once', async () => {
    const { ledger } = await scene();
    lose(2);
    const made = await ledger.wallets.create({ handle: 'shop' });
    expect(new Set(liar.seen.map(({ sent }) => sent)).size).toBe(1);
    expect(liar.seen.map(({ status }) => status)).toEqual([201, 200, 200]);
    lose(1);
    const updated = await ledger.wallets.update(made, { handle: 'shop', custom: { a: 1 } });
    lose(1);
    const signed = await ledger.wallets.sign(updated, { status: 'active' });
    expect(signed.meta.proofs).toHaveLength(3);
    lose(1);
    await ledger.wallets.drop(signed);
    expect(await ledger.wallets.history(made.luid).all()).toHaveLength(4);
  });

  it('of a create is found when the record has changed meanwhile', async () => {
    const { ledger, direct } = await scene();
    liar.lie = async ({ method, status }) => {
      if (method !== 'POST' || status !== 201) return undefined;
      await direct.wallets.update('shop', { handle: 'shop', custom: { other: true } });
      return 'cut';
    };
    const made = await ledger.wallets.create({ handle: 'shop' });
    expect(made.data.custom).toEqual({ other: true });
  });

  it('of an update that others overtook is found in the history, and the update is done once', async () => {
    const { ledger, direct } = await scene();
    await ledger.wallets.create({ handle: 'shop', custom: { n: 0 } });
    const overtake = async ({ method }: Exchange) => {
      if (method !== 'PUT') return undefined;
      liar.lie = () => undefined;
      await direct.wallets.update('shop', (data) => ({ ...data, custom: { ...data.custom, other: true } }));
      await direct.wallets.sign('shop', { status: 'active' });
      return 'cut' as const;
    };
    liar.lie = overtake;
    let calls = 0;
    const counted = await ledger.wallets.update('shop', (data) => {
      calls += 1;
      return { ...data, custom: { ...data.custom, n: Number(data.custom?.n) + 1 } };
    });
    expect([calls, counted.data.custom]).toEqual([1, { n: 1 }]);
    expect((await direct.wallets.get('shop')).data.custom).toEqual({ n: 1, other: true });
    liar.lie = overtake;
    const replaced = await ledger.wallets.update(await direct.wallets.get('shop'), {
      handle: 'shop',
      custom: { n: 7 },
    });
    expect(replaced.data.custom).toEqual({ n: 7 });
    expect((await direct.wallets.get('shop')).data.custom).toEqual({ n: 7, other: true });
  });

  it('of a proof is found when others have updated the record, or dropped it', async () => {
    const { ledger, direct } = await scene();
    const made = await ledger.wallets.create({ handle: 'shop' });
    const afterwards = (then: () => Promise<unknown>) => async (exchange: Exchange) => {
      if (!exchange.path.endsWith('/proofs')) return undefined;
      liar.lie = () => undefined;
      await then();
      return 'cut' as const;
    };
    liar.lie = afterwards(() => direct.wallets.update('shop', { handle: 'shop', custom: { other: true } }));
    const signed = await ledger.wallets.sign(made, { status: 'active' });
    expect([signed.hash, signed.meta.status, signed.meta.proofs.length]).toEqual([made.hash, 'active', 3]);
    expect(await direct.wallets.history('shop').all()).toHaveLength(3);
    liar.lie = afterwards(() => direct.wallets.drop('shop'));
    expect((await ledger.wallets.sign('shop', { status: 'inactive' })).meta.status).toBe('inactive');
  });

  it('of what was refused stays a refusal', async () => {
    const { ledger, direct } = await scene();
    const made = await ledger.wallets.create({ handle: 'shop' });
    await direct.wallets.update('shop', { handle: 'shop', custom: { other: true } });
    lose(1);
    const late = ledger.wallets.update(made, { handle: 'shop' });
    await expect(late).rejects.toMatchObject({ reason: 'crypto.parent-hash-invalid', mayBeDone: false });
  });

  it('of what was refused lets an update by a function be made anew', async () => {
    const { ledger, direct } = await scene();
    await ledger.wallets.create({ handle: 'shop', custom: { n: 0 } });
    const add = (data: { custom?: Record<string, unknown> }) => ({
      handle: 'shop',
      custom: { n: Number(data.custom?.n) + 1 },
    });
    let calls = 0;
    const onSigned = async () => {
      calls += 1;
      if (calls > 1) return;
      await direct.wallets.update('shop', add);
      lose(1);
    };
    expect((await ledger.wallets.update('shop', add, { onSigned })).data.custom).toEqual({ n: 2 });
    expect(calls).toBe(2);
  });

  it('of an update is found by another process, which sends the request again', async () => {
    const { ledger, direct } = await scene();
    const made = await ledger.wallets.create({ handle: 'shop' });
    let kept: SignedRequest | undefined;
    const onSigned = (request: SignedRequest) => {
      kept = request;
    };
    await ledger.wallets.update(made, { handle: 'shop', custom: { n: 1 } }, { onSigned });
    await direct.wallets.update('shop', { handle: 'shop', custom: { other: true } });
    expect(await direct.resend(kept!)).toMatchObject({ data: { custom: { n: 1 } } });
  });

  it('is asked for again while proxies say that the server is away', async () => {
    const { ledger } = await scene();
    lose(3, unavailable);
    expect((await ledger.wallets.create({ handle: 'shop' })).data.handle).toBe('shop');
  });

  it('is given up after some attempts, and its request is sent again later', async () => {
    const { ledger } = await scene();
    lose(4);
    const kept: SignedRequest[] = [];
    const error = await ledger.wallets
      .create({ handle: 'shop' }, { onSigned: (request) => void kept.push(request) })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreachableError);
    const { request, toTry } = error as UnreachableError;
    expect(toTry).toContain('resend()');
    expect(kept).toEqual([request]);
    // Even by another process, which has it as text.
    const again = JSON.parse(JSON.stringify(request)) as SignedRequest;
    expect(await ledger.resend(again)).toMatchObject({ data: { handle: 'shop' } });
    expect(new Set(liar.seen.filter(({ method }) => method === 'POST').map(({ sent }) => sent)).size).toBe(1);
  });
});

describe('a write whose only answer leaves open how it ended', () => {
  it.each([408, 502, 503, 504])('may be done: %i', async (status) => {
    const { connect, direct, handle } = await scene();
    const made = await direct.wallets.create({ handle: 'shop' });
    // One that the ledger has signed: an unsigned one is taken above 499 alone.
    const path = status === 408 ? '/wallets/none' : '/ledgers';
    const body = await (await fetch(server.current.url + path, { headers: { 'x-ledger': handle } })).json();
    const ledger = connect({ server: liar.url, attempts: 1 });
    const giveUpOn = (methods: readonly string[]) => {
      liar.lie = (exchange) => {
        if (methods.includes(exchange.method))
          Object.assign(exchange, { status, body, answerHeaders: { 'retry-after': '61' } });
        return undefined;
      };
    };
    giveUpOn(['POST', 'PUT']);
    await expect(ledger.wallets.create({ handle: 'other' })).rejects.toMatchObject({ status, mayBeDone: true });
    expect((await direct.wallets.get('other')).data.handle).toBe('other');
    // Its history tells that it was done.
    const updated = await ledger.wallets.update(made, { handle: 'shop', custom: { a: 1 } });
    expect(updated.data.custom).toEqual({ a: 1 });
    giveUpOn(['GET']);
    await expect(ledger.wallets.get('shop')).rejects.toMatchObject({ status, mayBeDone: false });
  });
});

describe('waiting', () => {
  it('is as long as the server says', async () => {
    const { ledger } = await scene();
    lose(1, (exchange) => {
      Object.assign(exchange, { status: 429, answerHeaders: { 'retry-after': '1' } });
      return undefined;
    });
    const began = performance.now();
    await ledger.wallets.list().all();
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
  });

  it('is left to the caller where the server says to come again later than `mostWait`, or than a minute', async () => {
    const { connect } = await scene();
    for (const [said, mostWait] of [
      [61, undefined],
      [2, 1_000],
    ] as const) {
      const ledger = connect({ server: liar.url, attempts: 4, ...(mostWait === undefined ? {} : { mostWait }) });
      liar.seen.length = 0;
      lose(4, (exchange) => {
        Object.assign(exchange, { status: 503, answerHeaders: { 'retry-after': String(said) } });
        return undefined;
      });
      const error = await ledger.wallets.get('none').catch((thrown: unknown) => thrown);
      expect(isRefusal(error) && error.retryAfter).toBe(said);
      expect(liar.seen).toHaveLength(1);
    }
  });

  it('has no length below nought where the server says to come again in the past', async () => {
    const { connect } = await scene();
    const ledger = connect({ server: liar.url, attempts: 1 });
    lose(1, (exchange) => {
      Object.assign(exchange, { status: 503, answerHeaders: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } });
      return undefined;
    });
    await expect(ledger.wallets.get('none')).rejects.toMatchObject({ retryAfter: 0 });
  });

  it('ends with the signal, as does a request under way', async () => {
    const { connect } = await scene();
    const ledger = connect({ server: liar.url, attempts: 50 });
    liar.lie = () => 'cut';
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 300);
    await expect(ledger.wallets.get('shop', { signal: stop.signal })).rejects.toThrow('enough');
    liar.lie = () => new Promise(() => undefined);
    const again = AbortSignal.timeout(200);
    await expect(ledger.wallets.list({ signal: again }).all()).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(
      ledger.wallets.create({ handle: 'x' }, { signal: AbortSignal.abort(new Error('no')) }),
    ).rejects.toThrow('no');
  });

  it('for one attempt is bounded', async () => {
    const { connect } = await scene();
    const ledger = connect({ server: liar.url, attempts: 2, timeout: 200 });
    liar.lie = () => new Promise(() => undefined);
    await expect(ledger.wallets.get('shop')).rejects.toBeInstanceOf(UnreachableError);
    liar.lie = () => undefined;
  });
});

describe('a refusal', () => {
  it('is not asked for again, and has its reason, custom and what to try', async () => {
    const { ledger } = await scene();
    await ledger.wallets.create({ handle: 'shop' });
    liar.seen.length = 0;
    const error = await ledger.wallets.create({ handle: 'shop' }).catch((thrown: unknown) => thrown);
    expect(liar.seen).toHaveLength(1);
    expect(isRefusal(error, 'record.duplicated') && error.status).toBe(409);
    const invalid = await ledger.wallets.create({ handle: 'a b' }).catch((thrown: unknown) => thrown);
    if (!isRefusal(invalid) || invalid.reason !== 'record.schema-invalid') throw invalid;
    expect(invalid.custom.errors?.[0]?.instancePath).toBe('/data/handle');
    expect(invalid.toTry).toContain('custom.errors');
  });

  it('of an update that others have overtaken is tried anew, when the update is a function', async () => {
    const { ledger, direct } = await scene();
    const made = await ledger.wallets.create({ handle: 'shop', custom: { n: 0 } });
    const count = (one: typeof ledger) =>
      one.wallets.update('shop', (data) => ({ ...data, custom: { n: Number(data.custom?.n) + 1 } }));
    await Promise.all([count(ledger), count(direct), count(ledger)]);
    expect((await ledger.wallets.get('shop')).data.custom).toEqual({ n: 3 });
    const late = ledger.wallets.update(made, { handle: 'shop' });
    await expect(late).rejects.toMatchObject({ reason: 'crypto.parent-hash-invalid' });
  });

  it('of a server without the ledger is unsigned, and known as such', async () => {
    const { connect } = await scene();
    const error = connect({ ledger: 'ghost', systemKey: 'x' }).wallets.get('shop');
    await expect(error).rejects.toMatchObject({ reason: 'api.route-not-found', isSigned: false });
  });
});

it('two equal writes of one moment are two', async () => {
  const { ledger } = await scene();
  await ledger.wallets.create({ handle: 'shop' });
  const bodies: string[] = [];
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  try {
    for (let write = 0; write < 2; write++) {
      await ledger.wallets.check('shop', 'read', { onSigned: ({ body }) => void bodies.push(body) });
    }
  } finally {
    clock.mockRestore();
  }
  const [first, second] = bodies.map((body) => JSON.parse(body).meta.proofs[0]);
  expect(first.custom.moment).toBe(second.custom.moment);
  expect(first.digest).not.toBe(second.digest);
});

describe('answers that overtake one another', () => {
  it('are no lie: what counts is what was known when each was asked for', async () => {
    const { ledger } = await scene();
    const made = await ledger.wallets.create({ handle: 'shop' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    liar.lie = async ({ method }) => {
      if (method === 'GET') await held;
      return undefined;
    };
    const early = ledger.wallets.get('shop');
    await expect.poll(() => liar.seen.some(({ method }) => method === 'GET')).toBe(true);
    const updated = await ledger.wallets.update(made, { handle: 'shop', custom: { a: 1 } });
    release();
    expect(await early).toEqual(made);
    expect(await ledger.wallets.get('shop')).toEqual(updated);
  });
});

describe('what is asked for', () => {
  it('stays below the path', async () => {
    const { ledger } = await scene();
    for (const id of ['', '.', '..']) await expect(ledger.wallets.get(id)).rejects.toThrow(TypeError);
    await expect(ledger.wallets.get('../signers/system')).rejects.toMatchObject({ reason: 'record.not-found' });
    expect(liar.seen.at(-1)?.path).toBe('/wallets/..%2Fsigners%2Fsystem');
  });
});
