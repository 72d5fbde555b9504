import type { RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, OPEN, TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';

/** What one request changed binds the next one, wherever it arrives, whether it then grants or refuses. */
describe('a decision is made on the ledger as it is now', () => {
  const servers = withTwoServers();

  /** A founder, and the same seen by another process. */
  async function seenTwice(options: Parameters<typeof newLedger>[1] = {}): Promise<[TestClient, TestClient]> {
    const here = await newLedger(servers.current[0].url, options);
    const there = new TestClient(servers.current[1].url, here.key, here.ledger);
    // Both processes hold the ledger in memory from here on.
    await Promise.all([here.get('/ledger'), there.get('/ledger')]);
    return [here, there];
  }

  async function setAccess(founder: TestClient, access: typeof OPEN): Promise<void> {
    const ledger: RecordEnvelope = (await founder.get('/ledger')).body;
    ok(await founder.update('/ledger', ledger, { handle: founder.ledger ?? '', signer: 'system', access }));
  }

  it('finds a schema that was just made', async () => {
    const [here, there] = await seenTwice();
    for (const [handle, reporter] of Object.entries({ daily: here, weekly: there })) {
      await stored(here, 'schema', { handle, record: 'report', format: 'json-schema', schema: {} });
      expect((await reporter.create('/reports', { handle, schema: handle })).status).toBe(201);
    }
  });

  it('finds a domain that was just made', async () => {
    const [here, there] = await seenTwice();
    for (const domain of ['first', 'second', 'third']) {
      await stored(here, 'domain', { handle: domain });
      for (const [index, client] of [here, there].entries()) {
        const wallet = await client.create('/wallets', { handle: `w-${index}@${domain}` });
        expect(wallet.body.meta?.domain, wallet.text).toBe(domain);
      }
    }
  });

  it('lets in who was just let in', async () => {
    const key = newKey();
    const founders = [{ action: 'any', record: 'any', signer: { public: key.public } }, { action: 'read' }];
    const [here, there] = await seenTwice({ key, access: founders });
    const strangers = [here, there].map((client) => client.as(newKey()));
    for (const stranger of strangers) {
      expectRefusal(
        await stranger.create('/wallets', { handle: 'w' }),
        here,
        'auth.forbidden',
        'Cannot create wallet.',
      );
      const list = await stranger.get('/wallets', bearer(stranger.key));
      expectRefusal(list, here, 'auth.forbidden', 'Cannot query wallet.');
    }
    await setAccess(here, OPEN);
    for (const [index, stranger] of strangers.entries()) {
      expect((await stranger.get('/wallets')).status).toBe(200);
      expect((await stranger.create('/wallets', { handle: `w-${index}` })).status).toBe(201);
    }
  });

  it('lets in no more who was just shut out', async () => {
    const key = newKey();
    const [here, there] = await seenTwice({ key });
    const strangers = [here, there].map((client) => client.as(newKey()));
    for (const [index, stranger] of strangers.entries()) {
      expect((await stranger.create('/wallets', { handle: `w-${index}` })).status).toBe(201);
    }
    await setAccess(here, [{ action: 'any', record: 'any', signer: { public: key.public } }]);
    for (const stranger of strangers) {
      expectRefusal(
        await stranger.create('/wallets', { handle: 'w' }),
        here,
        'auth.forbidden',
        'Cannot create wallet.',
      );
      expectRefusal(
        await stranger.get('/wallets'),
        here,
        'auth.unauthorized',
        'Missing token: send one in the header authorization; a write may be signed instead.',
      );
    }
  });

  it('reads the version that is current, of the record that has the name now', async () => {
    const [here, there] = await seenTwice();
    const path = '/effects/seen-often';
    const effect = (note: string) => ({
      handle: 'seen-often',
      signal: 'wallet-created',
      action: { schema: 'webhook', endpoint: 'https://example.org/' },
      custom: { note },
    });
    const noteIn = async (client: TestClient, id = path) => (await client.get(id)).body.data?.custom?.note;
    let made: RecordEnvelope = ok(await here.create('/effects', effect('first'))).body;
    expect([await noteIn(there), await noteIn(there)]).toEqual(['first', 'first']);
    made = ok(await here.update(path, made, effect('second'))).body;
    expect([await noteIn(there), await noteIn(there, `/effects/${made.luid}`)]).toEqual(['second', 'second']);
    ok(await here.drop(path, made));
    expect([(await there.get(path)).status, (await there.get(`/effects/${made.luid}`)).status]).toEqual([404, 404]);
    // Other records with that name, the second of them at a version of the same number as the first.
    for (const note of ['third', 'fourth']) {
      made = ok(await here.create('/effects', effect(note))).body;
      expect([await noteIn(there), await noteIn(here)]).toEqual([note, note]);
      ok(await here.drop(path, made));
    }
  });
});
