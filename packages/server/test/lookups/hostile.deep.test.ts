import { hash as hashOf, isObject, type Json, type JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { jsonLimits } from '../../src/base/json-limits.js';
import { listLimits } from '../../src/lists/list-limits.js';
import { outboundLimits } from '../../src/outbound/outbound-limits.js';
import { withBridge } from '../forward/bridge.js';
import { exchange, requestText } from '../http/raw.js';
import { expectList } from '../support/checks.js';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { startServer, withServer } from '../support/server.js';
import {
  anchorOf,
  answerWith,
  ask,
  bridgedLedger,
  expectInvalid,
  expectNoAnswer,
  handlesIn,
  listed,
  lookUp,
  storeBridged,
  WAYS,
} from './scene.js';

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

const bridged = (url = server.current.url) => bridgedLedger(url, bridge);

describe('another ledger as the bridge', () => {
  it('answers with full records, which is no answer; and with nothing where it has nothing', async () => {
    const keeper = await newLedger(server.current.url);
    const secure = [{ schema: 'header', key: 'x-ledger', value: '{{ secret.ledger }}' }];
    const client = await newLedger(server.current.url);
    await storeBridged(client, server.current.url, { secure, secret: { ledger: keeper.ledger ?? '' } });
    for (const way of WAYS) expectList(await ask(client, way, 'acc'), client);
    await stored(keeper, 'wallet', { handle: 'acc' });
    await stored(keeper, 'anchor', anchorOf('acc', 'a'));
    for (const way of ['anchors', 'lookup'] as const) expectInvalid(await ask(client, way, 'acc'), client, way);
    expect(handlesIn(await lookUp(client, 'acc', { target: 'other' }))).toEqual([]);
  });

  it('that leads back to the first is 502, and no loop', async () => {
    const { url } = server.current;
    const client = await newLedger(url);
    await storeBridged(client, url);
    for (const way of WAYS) expectNoAnswer(await ask(client, way, 'acc'), client, way);
    const [one, other] = [await newLedger(url), await newLedger(url)];
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const secure = [{ schema: 'header', key: 'x-ledger', value: '{{ secret.ledger }}' }];
      await storeBridged(from, url, { secure, secret: { ledger: to.ledger ?? '' } });
    }
    for (const way of WAYS) expectNoAnswer(await ask(one, way, 'acc'), one, way);
  });

  it('passes on through which ledgers a lookup came', async () => {
    const client = await bridged();
    answerWith(bridge);
    const { luid } = ok(await client.get('/ledger')).body;
    ok(await client.get('/wallets/acc/anchors', { via: '1.1 first, 1.0 second' }));
    expect(bridge.only.headers.via).toBe(`1.1 first, 1.0 second, 1.1 ${luid}`);
    bridge.received.length = 0;
    for (const via of [`1.1 ${luid}`, `1.1 first,1.1 ${luid} (x), 1.1 last`]) {
      expectNoAnswer(await client.get('/wallets/acc/anchors', { via }), client, 'anchors');
    }
    expect(bridge.received).toEqual([]);
  });
});

describe('an address that is none', () => {
  it('leads to nothing, least of all another path of a bridge', async () => {
    const client = await bridged();
    // Wallets that what an address is cut into could mean.
    for (const handle of ['..', 'x']) await client.create('/wallets', { handle, bridge: 'bank' });
    for (const id of [
      ...['..', '.', '%2e', '%2e%2e', '..%2fadmin', '..%2f..%2facc', 'a%2facc', 'acc%2f..', 'acc%2fanchors%3f'],
      ...['acc%3fx=1', 'acc%23', 'acc%5c..', '%20acc', 'acc%00', 'acc%0d%0ax:1', 'acc%0a', '%40acc', 'acc%40'],
      ...[
        'tel:..%2f@acc',
        'x:y:acc@acc',
        '%252e%252e@acc',
        '%C3%A9@acc',
        'tel:%2e%2e',
        'tel:..',
        `${'x'.repeat(252)}@acc`,
      ],
    ]) {
      for (const end of ['anchors', 'domains']) {
        const headers = { 'x-ledger': client.ledger ?? '' };
        const { status, body } = await exchange(server.current.url, [
          requestText(`GET /v2/wallets/${id}/${end}`, headers),
        ]);
        expect([id, status, body.data]).toEqual([id, 200, []]);
      }
      let wallet = id;
      try {
        wallet = decodeURIComponent(id);
      } catch {}
      const body = (() => {
        try {
          return JSON.stringify(signed({ wallet }, client.key, {}));
        } catch {
          return '';
        }
      })();
      const request = requestText(
        `POST /v2/wallets/${id}/anchors/!lookup`,
        { 'x-ledger': client.ledger ?? '', 'content-type': 'application/json' },
        body,
      );
      const { status } = await exchange(server.current.url, [request]);
      expect([200, 400, 422], id).toContain(status);
    }
    expect(bridge.received).toEqual([]);
    const longest = `${'x'.repeat(251)}@acc`;
    answerWith(bridge);
    ok(await client.get(`/wallets/${longest}/anchors`));
    expect(bridge.only.url).toBe(`/wallets/${longest}/anchors`);
  });
});

describe('a large answer of a bridge', () => {
  const each = async (client: TestClient, check: (answer: TestAnswer, way: (typeof WAYS)[number]) => void) => {
    for (const way of WAYS) check(await ask(client, way, 'acc'), way);
  };

  it(`has ${listLimits.page.greatest} items at most`, async () => {
    const client = await bridged();
    const items = Array.from({ length: listLimits.page.greatest + 1 }, (_, index) => ({ handle: `a-${index}` }));
    answerWith(bridge, ...items.slice(1));
    await each(client, (answer) => expect(expectList(answer, client)).toHaveLength(listLimits.page.greatest));
    answerWith(bridge, ...items);
    await each(client, (answer, way) => expectInvalid(answer, client, way));
  });

  it(`has ${outboundLimits.answer} bytes at most`, async () => {
    const client = await bridged();
    const padded = (bytes: number) => {
      bridge.instead = () => (response) => void response.writeHead(200).end('{"data":[]}'.padEnd(bytes));
    };
    padded(outboundLimits.answer);
    await each(client, (answer) => expect(expectList(answer, client)).toEqual([]));
    padded(outboundLimits.answer + 1);
    await each(client, (answer, way) => expectInvalid(answer, client, way));
  });

  it('has as many values and levels as other answers, and not one more', async () => {
    const client = await bridged();
    const answering = (body: JsonObject) => {
      bridge.instead = () => ({ status: 200, body });
    };
    const deep = (levels: number) => JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1));
    const many = (values: number) => Array.from({ length: values }, () => 0);
    const levels = jsonLimits.depth + outboundLimits.levels;
    for (const [fits, padding] of [
      [true, deep(levels)],
      [false, deep(levels + 1)],
      [true, many(outboundLimits.values - 2)],
      [false, many(outboundLimits.values - 1)],
    ] as const) {
      answering({ data: [], padding });
      await each(client, (answer, way) => {
        if (fits) expect(expectList(answer, client)).toEqual([]);
        else expectInvalid(answer, client, way);
      });
    }
  });
});

describe('a bridge that keeps others waiting', () => {
  it('is given up in time to tell the client', async () => {
    const quick = await startServer({ deliveryAllowPrivate: true, requestTimeout: 3_000 });
    try {
      const client = await bridged(quick.url);
      for (const begun of [false, true]) {
        bridge.instead = () => (response) => {
          if (!begun) return;
          response.writeHead(200);
          response.write(' ');
        };
        // At the same time: each waits for most of what a request may take.
        const answers = await Promise.all(WAYS.map((way) => ask(client, way, 'acc')));
        for (const [at, way] of WAYS.entries()) expectNoAnswer(answers[at]!, client, way);
      }
    } finally {
      await quick.stop();
    }
  });

  it('has no more calls of a ledger than there may be, and other ledgers theirs', async () => {
    const [client, other] = [await bridged(), await newLedger(server.current.url)];
    await stored(other, 'wallet', { handle: 'acc' });
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    bridge.instead = async () => {
      await held;
      return { status: 200, body: listed(bridge, [{ handle: 'a' }]) };
    };
    const most = outboundLimits.calls.ledger;
    const asked = Array.from({ length: most + 1 }, (_, index) => ask(client, WAYS[index % 3]!, 'acc'));
    const turnedAway = await Promise.race(asked);
    expect([turnedAway.status, turnedAway.headers.get('retry-after')]).toEqual([503, '1']);
    expect(handlesIn(await other.get('/wallets/acc/anchors'))).toEqual([]);
    go();
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(most);
  });
});

describe('whatever a bridge answers', () => {
  it('is served as its data or refused, and is no fault of the server', async () => {
    const client = await bridged();
    const item = fc.oneof(
      { weight: 3, arbitrary: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }) },
      fc.record({ handle: fc.string(), access: fc.jsonValue(), meta: fc.jsonValue(), data: fc.jsonValue() }),
      fc.jsonValue(),
    ) as fc.Arbitrary<Json>;
    const run = async (items: Json[], way: (typeof WAYS)[number]) => {
      bridge.instead = () => ({ status: 200, body: { data: items } });
      const answer = await ask(client, way, 'acc');
      if (answer.status !== 200) {
        expectInvalid(answer, client, way);
        return;
      }
      expect(answer.body.hash).toBe(hashOf(answer.body.data, native));
      const data = answer.body.data.map((one: JsonObject) => {
        expect(Object.keys(one)).toEqual(['data', 'meta']);
        return one.data;
      });
      expect(data).toEqual(items.map((one) => ({ access: [], ...(isObject(one) ? one : {}) })));
    };
    await fc.assert(fc.asyncProperty(fc.array(item, { maxLength: 3 }), fc.constantFrom(...WAYS), run), {
      numRuns: process.env.LONG_TESTS ? 1_000 : 50,
    });
  });
});
