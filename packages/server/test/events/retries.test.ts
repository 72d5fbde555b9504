import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { Description } from '../http/description.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, proofOver, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import {
  ago,
  countWaiting,
  expectTaken,
  FAILED,
  HOUR,
  holdRetries,
  isAgain,
  listAgain,
  MINUTE,
  makeDeliveries,
  retry,
  type Standing,
  untilWorkedOff,
} from './retry-scene.js';
import { type DeliveryRow, holdDeliveries, loadRows, setDelivery, subscribe } from './support.js';

const server = withOwnServer();
beforeAll(() => holdDeliveries(server.current));

describe('a retry of events', () => {
  it('is answered 202 at once, empty, and cancels what is scheduled and reschedules it with no delay', async () => {
    const client = await makeDeliveries(server.current, FAILED, { ...FAILED, status: 'pending' });
    const before = await loadRows(server.current, client);
    expectTaken(await retry(client));
    expect(await listAgain(server.current, client)).toEqual(['d-0', 'd-1']);
    for (const [index, row] of (await loadRows(server.current, client)).entries()) {
      // What was attempted stays; the schedule begins anew.
      const { proofs, attempts, attempted } = before[index]!;
      expect(row).toMatchObject({ proofs, attempts, attempted, status: 'pending', tries: 0 });
      // Whatever is due is due in a hundred years here.
      expect(row.due!.getTime()).toBeLessThan(before[index]!.due!.getTime());
    }
  });

  it.each<[status: string, isReached: boolean]>([
    ['pending', true],
    ['failed', true],
    ['cancelled', true],
    ['running', false],
    ['delivered', false],
  ])('of status %s reaches it: %s', async (status, isReached) => {
    const client = await makeDeliveries(server.current, { ...FAILED, status, due: null });
    expectTaken(await retry(client));
    await untilWorkedOff(server.current, client);
    const [row] = await loadRows(server.current, client);
    expect(isAgain(row!)).toBe(isReached);
    if (!isReached) expect(row).toMatchObject({ status, tries: 2, due: null });
  });

  it('reaches deliveries of this effect only', async () => {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'other', 'wallet-created');
    await stored(client, 'wallet', { handle: 'both' });
    for (const { handle } of await loadRows(server.current, client)) {
      await setDelivery(server.current, handle, { ...FAILED, due: null });
    }
    expectTaken(await retry(client, {}, '/effects/other/events/retry'));
    expect(await listAgain(server.current, client)).toEqual(['both']);
    const rows = await loadRows(server.current, client);
    expect(rows.map(isAgain)).toEqual([false, false, true]);
  });

  it('adds no proof, no change and no signal', async () => {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'watcher', 'effect-updated');
    await subscribe(client, 'prover', 'effect-proofs-added');
    const rows = await loadRows(server.current, client);
    const effect = (await client.get('/effects/hook')).text;
    expectTaken(await retry(client));
    await untilWorkedOff(server.current, client);
    expect((await client.get('/effects/hook')).text).toBe(effect);
    expect((await client.get('/effects/hook/changes')).body.page.total).toBe(1);
    expect(await loadRows(server.current, client)).toHaveLength(rows.length);
  });
});

describe('data.maxAge', () => {
  const aged = (milliseconds: number): Standing => ({ ...FAILED, attempted: ago(milliseconds) });

  it.each<[title: string, data: JsonObject, reached: number[]]>([
    ['is 60 minutes by default', {}, [0]],
    ['is an integer number of minutes', { maxAge: 62 }, [0, 1]],
    ['of one minute reaches what was attempted just now', { maxAge: 1 }, []],
    ['is at most 48 hours', { maxAge: 2_880 }, [0, 1, 2]],
    ['above 48 hours counts as 48 hours: the server enforces the maximum', { maxAge: 2_881 }, [0, 1, 2]],
    ['however far above', { maxAge: Number.MAX_SAFE_INTEGER }, [0, 1, 2]],
    ['of 0 means retry all events regardless of age', { maxAge: 0 }, [0, 1, 2, 3, 4]],
  ])('%s', async (_, data, reached) => {
    const ages = [59 * MINUTE, 61 * MINUTE, 47 * HOUR + 59 * MINUTE, 48 * HOUR + MINUTE, 10_000 * HOUR];
    const client = await makeDeliveries(server.current, ...ages.map(aged));
    expectTaken(await retry(client, data));
    expect(await listAgain(server.current, client)).toEqual(reached.map((index) => `d-${index}`));
  });

  it('applies to the last delivery attempt, not to the creation of the event', async () => {
    const old = { moment: ago(100 * HOUR) };
    const client = await makeDeliveries(
      server.current,
      { ...aged(MINUTE), ...old },
      { ...aged(2 * HOUR), ...old },
      { ...FAILED, ...old, attempted: null },
      { ...FAILED, attempted: null },
    );
    expectTaken(await retry(client));
    // One that was never attempted is as old as it is.
    expect(await listAgain(server.current, client)).toEqual(['d-0', 'd-3']);
  });

  it.each<[title: string, data: JsonObject, message: string]>([
    ['negative', { maxAge: -1 }, '/data/maxAge must be >= 0'],
    ['no integer', { maxAge: 1.5 }, '/data/maxAge must be integer'],
    ['a text', { maxAge: '60' }, '/data/maxAge must be integer'],
    ['null', { maxAge: null }, '/data/maxAge must be integer'],
    ['beside a handle that is no text', { maxAge: 1, handle: 1 }, '/data/handle must be string'],
    ['misspelt', { maxage: 1 }, '/data must NOT have additional properties'],
  ])('is refused when it is %s', async (_, data, message) => {
    const client = await makeDeliveries(server.current, FAILED);
    const detail = `Schema validation error: request/body${message}`;
    expectRefusal(await retry(client, data), client, 'record.schema-invalid', detail);
    expect(await countWaiting(server.current, client)).toBe(0);
  });
});

describe('data.handle', () => {
  const only = async (client: TestClient) => (await loadRows(server.current, client)).map(isAgain);

  it('names the one delivery that is sent again, whatever maxAge says', async () => {
    const client = await makeDeliveries(
      server.current,
      FAILED,
      { ...FAILED, status: 'cancelled', attempted: ago(100 * HOUR) },
      FAILED,
    );
    const [, second, third] = await loadRows(server.current, client);
    expectTaken(await retry(client, { handle: second!.handle, maxAge: 1 }));
    expect(await only(client)).toEqual([false, true, false]);
    expectTaken(await retry(client, { handle: `$evd.${third!.handle}` }));
    expect(await only(client)).toEqual([false, true, true]);
    expect(await countWaiting(server.current, client)).toBe(0);
  });

  it.each(['delivered', 'running'])('of a delivery that is %s is taken, and sends nothing', async (status) => {
    const client = await makeDeliveries(server.current, { ...FAILED, status, due: null });
    const [row] = await loadRows(server.current, client);
    expectTaken(await retry(client, { handle: row!.handle }));
    expect(await loadRows(server.current, client)).toEqual([row]);
  });

  it('that is unknown, or of another effect, is 404', async () => {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'other', 'wallet-created');
    const [row] = await loadRows(server.current, client);
    for (const [path, handle] of [
      ['/effects/hook/events/retry', '0123456789abcdefg'],
      ['/effects/hook/events/retry', ''],
      ['/effects/hook/events/retry', 'é\u0001'],
      ['/effects/hook/activate', '0123456789abcdefg'],
      ['/effects/other/events/retry', row!.handle],
    ] as const) {
      const detail = `Event '${handle}' not found on ledger '${client.ledger}'`;
      expectRefusal(await retry(client, { handle }, path), client, 'record.not-found', detail);
    }
    const elsewhere = await makeDeliveries(server.current);
    const strange = await retry(elsewhere, { handle: row!.handle });
    const detail = `Event '${row!.handle}' not found on ledger '${elsewhere.ledger}'`;
    expectRefusal(strange, elsewhere, 'record.not-found', detail);
    expect(await loadRows(server.current, client)).toEqual([row]);
  });
});

describe('POST /effects/{id}/activate and the routes of bridges', () => {
  it.each(['events/retry', 'activate'])('%s does the same, for effects and bridges', async (end) => {
    const client = await newLedger(server.current.url);
    const { luid } = await stored(client, 'bridge', {
      handle: 'post',
      schema: 'rest',
      config: { server: 'https://bridge.example' },
      secure: [],
    });
    await subscribe(client, 'hook', 'wallet-created', { action: { bridge: 'post' } });
    await subscribe(client, 'other', 'wallet-created');
    for (const path of ['/effects/hook', '/bridges/post', `/bridges/${luid}`]) {
      await stored(client, 'wallet', { handle: `w${path.replaceAll(/[^a-z]/g, '')}` });
      for (const { handle } of await loadRows(server.current, client)) {
        await setDelivery(server.current, handle, { ...FAILED, due: null });
      }
      expectTaken(await retry(client, {}, `${path}/${end}`));
      await untilWorkedOff(server.current, client);
      const again = (await loadRows(server.current, client)).map(isAgain);
      expect(again).toEqual(again.map((_, index) => index % 2 === 0));
    }
  });

  it('of an unknown record are 404, and other kinds have none', async () => {
    const client = await makeDeliveries(server.current);
    for (const end of ['events/retry', 'activate']) {
      for (const [kind, detail] of [
        ['effects', 'Effect not found'],
        ['bridges', 'Bridge not found'],
      ] as const) {
        expectRefusal(await retry(client, {}, `/${kind}/none/${end}`), client, 'record.not-found', detail);
      }
      const answer = await retry(client, {}, `/wallets/none/${end}`);
      expectRefusal(answer, client, 'api.route-not-found', 'Route not found');
    }
  });

  it('of a bridge leaves deliveries alone whose effect was dropped', async () => {
    const client = await newLedger(server.current.url);
    const bridge = { handle: 'post', schema: 'rest', config: { server: 'https://bridge.example' }, secure: [] };
    await stored(client, 'bridge', bridge);
    const effect = await subscribe(client, 'hook', 'wallet-created', { action: { bridge: 'post' } });
    await stored(client, 'wallet', { handle: 'w' });
    const [row] = await loadRows(server.current, client);
    await setDelivery(server.current, row!.handle, { ...FAILED, status: 'cancelled', due: null });
    ok(await client.drop('/effects/hook', effect));
    expectTaken(await retry(client, { maxAge: 0 }, '/bridges/post/events/retry'));
    expectTaken(await retry(client, { handle: row!.handle }, '/bridges/post/events/retry'));
    expect(await listAgain(server.current, client)).toEqual([]);
    const gone = await retry(client);
    expectRefusal(gone, client, 'record.not-found', 'Effect not found');
  });
});

describe('the body of a retry', () => {
  it('is described as it is taken', async () => {
    const described = await Description.of(server.current.url);
    const key = newKey();
    for (const path of ['/effects/{id}/events/retry', '/effects/{id}/activate', '/bridges/{id}/events/retry']) {
      const errors = (data: JsonObject) => described.requestErrors('post', path, signed(data, key, {}));
      for (const data of [{}, { maxAge: 0 }, { handle: 'x' }]) expect(errors(data)).toBeUndefined();
      for (const data of [{ maxAge: -1 }, { maxAge: 1.5 }, { handle: 1 }, { more: 1 }]) {
        expect(errors(data)).toBeDefined();
      }
    }
  });
});

describe('a retry is verified like a write', () => {
  it('by its hash and proofs', async () => {
    const client = await makeDeliveries(server.current, FAILED);
    const path = '/effects/hook/events/retry';
    const body = signed({ maxAge: 5 }, client.key, {});
    const call = (sent: unknown) => client.call('POST', path, sent);
    const wrong = await call({ ...body, hash: 'a'.repeat(64) });
    expectRefusal(wrong, client, 'crypto.hash-invalid', `Invalid record hash: ${'a'.repeat(64)}`);
    const unsigned = await call({ ...body, meta: { proofs: [] } });
    expectRefusal(unsigned, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
    const forged = { ...proofOver(body.hash, newKey()), public: client.key.public };
    const refused = await call({ ...body, meta: { proofs: [forged] } });
    expectRefusal(refused, client, 'crypto.signature-invalid', `Invalid signature for key: ${client.key.public}`);
    expect((await call('[1]')).body.data.reason).toBe('record.schema-invalid');
    expect((await call(undefined)).body.data.reason).toBe('record.schema-invalid');
    expect(await countWaiting(server.current, client)).toBe(0);
  });

  it.each<[custom: JsonObject, detail: string]>([
    [{ ledger: 'another' }, 'Ledger in the proof does not match the ledger of the request'],
    [{ record: 'bridge' }, 'Record in the proof does not match the record of the request'],
  ])('and its proofs are meant for it: %s', async (custom, detail) => {
    const client = await makeDeliveries(server.current, FAILED);
    const call = (meant: JsonObject) =>
      client.call('POST', '/effects/hook/events/retry', signed({}, client.key, meant));
    expectRefusal(await call(custom), client, 'record.invalid', detail);
    expectTaken(await call({ ledger: client.ledger!, record: 'effect' }));
  });
});

describe('a retry that is sent again', () => {
  /** Takes a retry, then lets the delivery fail for good, so that a second one would show. */
  async function retriedOnce(data: (row: DeliveryRow) => JsonObject) {
    const client = await makeDeliveries(server.current, FAILED);
    await subscribe(client, 'other', 'wallet-created');
    const [row] = await loadRows(server.current, client);
    const body = signed(data(row!), client.key, {});
    const send = (path: string, sent: unknown = body) => client.call('POST', path, sent);
    expectTaken(await send('/effects/hook/events/retry'));
    await untilWorkedOff(server.current, client);
    expect(await listAgain(server.current, client)).toEqual(['d-0']);
    await setDelivery(server.current, row!.handle, { status: 'cancelled', due: null });
    return { client, body, send };
  }

  const forms: [title: string, data: (row: DeliveryRow) => JsonObject][] = [
    ['of a range', () => ({ maxAge: 0 })],
    ['of one delivery', ({ handle }) => ({ handle })],
  ];

  it.each(forms)('%s is answered 202 and does nothing more', async (_, data) => {
    const { client, send } = await retriedOnce(data);
    for (const path of ['/effects/hook/events/retry', '/effects/hook/activate']) expectTaken(await send(path));
    expect(await countWaiting(server.current, client)).toBe(0);
    expect(await listAgain(server.current, client)).toEqual([]);
  });

  it.each(forms)('%s does nothing beside a new proof either', async (_, data) => {
    const { client, body, send } = await retriedOnce(data);
    const proofs = [...body.meta.proofs, proofOver(body.hash, newKey(), { n: 1 })];
    expectTaken(await send('/effects/hook/events/retry', { ...body, meta: { proofs } }));
    expect(await listAgain(server.current, client)).toEqual([]);
    expectTaken(
      await send('/effects/hook/events/retry', {
        ...body,
        meta: { proofs: [proofOver(body.hash, client.key, { n: 2 })] },
      }),
    );
    expect(await listAgain(server.current, client)).toEqual(['d-0']);
  });

  it('for another effect is 422', async () => {
    const { client, send } = await retriedOnce(() => ({ maxAge: 0 }));
    const answer = await send('/effects/other/events/retry');
    const detail = 'A proof in the request was used for another record. Sign anew, with a custom.moment of its own.';
    expectRefusal(answer, client, 'record.invalid', detail);
    expect(await countWaiting(server.current, client)).toBe(0);
  });

  it('many times at once counts once', async () => {
    const client = await makeDeliveries(server.current);
    const release = await holdRetries(server.current, client);
    const body = signed({}, client.key, {});
    const path = '/effects/hook/events/retry';
    const answers = await Promise.all(Array.from({ length: 12 }, () => client.call('POST', path, body)));
    for (const answer of answers) expectTaken(answer);
    expect(await countWaiting(server.current, client)).toBe(1);
    await release();
  });
});
