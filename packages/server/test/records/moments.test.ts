import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { recordLimits } from '../../src/records/record-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, proofOver, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const MINUTE = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE).toISOString();

/** Each request that carries a proof, with that moment. */
const requests: Readonly<Record<string, (client: TestClient, custom: JsonObject) => Promise<TestAnswer>>> = {
  create: (client, custom) => client.call('POST', '/wallets', signed({ handle: 'v' }, client.key, custom)),
  async update(client, custom) {
    const { hash } = ok(await client.get('/wallets/w')).body;
    return client.call('PUT', '/wallets/w', signed({ handle: 'w', custom: {}, parent: hash }, client.key, custom));
  },
  async proof(client, custom) {
    const { hash } = ok(await client.get('/wallets/w')).body;
    return client.call('POST', '/wallets/w/proofs', proofOver(hash, client.key, custom));
  },
  async drop(client, custom) {
    const { hash, luid } = ok(await client.get('/wallets/w')).body;
    return client.call('DELETE', '/wallets/w', { ...signed({ parent: hash }, client.key, custom), luid });
  },
  check: (client, custom) =>
    client.call('POST', '/wallets/w/access/!check', signed({ action: 'create' }, client.key, custom)),
};

describe.each(Object.entries(requests))('the moment of the proof of a %s', (_, send) => {
  it.each([
    ['yesterday', 'yesterday'],
    ['nothing', ''],
    ['a day that there is not', '2026-02-30'],
    ['milliseconds', '1764156000000'],
  ])('is refused when it is no moment: %s', async (_, moment) => {
    const client = await newLedger(server.current.url);
    ok(await client.create('/wallets', { handle: 'w' }));
    const detail = `Moment in the proof must be an ISO 8601 date: '${moment}'`;
    expectRefusal(await send(client, { moment }), client, 'record.invalid', detail);
  });

  it('is refused when it is minutes ahead, and taken when it is long past', async () => {
    const client = await newLedger(server.current.url);
    ok(await client.create('/wallets', { handle: 'w' }));
    const moment = inMinutes(recordLimits.momentAhead + 1);
    const detail = `Moment in the proof is more than ${recordLimits.momentAhead} minutes ahead of the server's clock: '${moment}'`;
    expectRefusal(await send(client, { moment }), client, 'record.invalid', detail);
    expect((await send(client, { moment: '2019-01-01T12:00:00+02:00' })).status).toBeLessThan(300);
  });

  it('may be a little ahead', async () => {
    const client = await newLedger(server.current.url);
    ok(await client.create('/wallets', { handle: 'w' }));
    expect((await send(client, { moment: inMinutes(recordLimits.momentAhead - 1) })).status).toBeLessThan(300);
  });
});

it('a ledger is not made by a proof whose moment is none', async () => {
  const client = (await newLedger(server.current.url)).in(undefined);
  const body = signed({ handle: `moment-${process.pid}-${Date.now()}` }, client.key, { moment: 'soon' });
  expectRefusal(await client.call('POST', '/ledgers', body), client, 'record.invalid', /^Moment in the proof/);
});
