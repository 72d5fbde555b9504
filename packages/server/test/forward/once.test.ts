import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import {
  dropOf,
  newKey,
  OPEN,
  proofOver,
  systemKeyOf,
  type TestAnswer,
  TestClient,
  updateOf,
} from '../support/client.js';
import { startServer, withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { type Received, withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, made, processing, stored } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** Lets something happen after the bridge was asked, and before its answer arrives. */
function meanwhile(work: () => Promise<unknown>): void {
  bridge.instead = async (received: Received) => {
    await work();
    return bridge.behave(received);
  };
}

/** Makes a new version of the state of a ledger. */
let changes = 0;
const changeLedger = (client: TestClient) => {
  changes += 1;
  return made(client, '/policies', { handle: `p-${changes}`, schema: 'access', values: OPEN });
};

describe('a forwarded operation, while the ledger changes', () => {
  it.each(['proxy', 'validate', 'synchronize'])('%s: is forwarded once', async (strategy) => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', strategy)]);
    meanwhile(() => changeLedger(client));
    const answer = await client.create('/anchors', anchor('a'));
    expect(answer.status, answer.text).toBe(201);
    expect(bridge.received).toHaveLength(1);
    expect(await stored(client, 'a')).toBe(strategy !== 'proxy');
    if (strategy === 'synchronize') {
      expect(answer.body.luid).toBe(bridge.only.body.luid);
      const system = systemKeyOf(client);
      const publics = answer.body.meta.proofs.map((proof: JsonObject) => proof.public);
      expect(publics).toEqual([client.key.public, system, system, bridge.key.public]);
    }
    if (strategy !== 'proxy') expect((await client.get('/anchors/a')).body).toEqual(answer.body);
  });

  it('synchronize: is kept with one proof for the signer of a token, however often it was made', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'synchronize')]);
    await made(client, '/signers', { handle: 'me', public: client.key.public, format: 'ed25519-raw' });
    meanwhile(() => changeLedger(client));
    const body = { data: anchor('a'), meta: { proofs: [{ custom: { status: 'created' } }] } };
    const answer = await client.call('POST', '/anchors', body, bearer(client.key));
    expect(answer.status, answer.text).toBe(201);
    const signers = answer.body.meta.proofs.map(({ signer }: JsonObject) => signer);
    expect(signers).toEqual(['me', 'system', 'system', undefined]);
    expect(bridge.received).toHaveLength(1);
  });

  it('validate: an update says nothing of a record that has taken the place of the one it was made for', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('update', 'validate')]);
    const first = await made(client, '/anchors', anchor('a'));
    const other = new TestClient(server.current.url, newKey(), client.ledger);
    meanwhile(async () => {
      await client.drop('/anchors/a', first);
      await made(other, '/anchors', anchor('a'));
    });
    // Older clients leave the luid out, which would tell the two apart.
    const { luid: _, ...body }: JsonObject = updateOf(
      first,
      { ...anchor('a'), custom: { by: 'the first' } },
      client.key,
    ) as unknown as JsonObject;
    const answer = await client.call('PUT', '/anchors/a', body);
    const { luid, meta } = (await client.get('/anchors/a')).body;
    expect(luid).not.toBe(first.luid);
    expect(meta.owners).toEqual([other.key.public]);
    const said = meta.proofs.flatMap(({ custom }: { custom?: JsonObject }) => custom?.luid ?? []);
    expect(new Set(said), answer.text).toEqual(new Set([luid]));
  });

  it('synchronize: keeps what the bridge was told, also where this process knew an older state', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'synchronize')]);
    const others = await startServer({ database: server.current.database, deliveryAllowPrivate: true });
    try {
      await changeLedger(new TestClient(others.url, client.key, client.ledger));
      const answer = await client.create('/anchors', anchor('a'));
      expect(answer.status, answer.text).toBe(201);
      const digests = (proofs: JsonObject[]) => proofs.map(({ digest }) => digest);
      const told = digests(bridge.only.body.meta.proofs);
      expect(told).toEqual(expect.arrayContaining(digests(answer.body.meta.proofs.slice(0, 2))));
    } finally {
      await others.stop();
    }
  });

  it('is forwarded once, also by many at the same time', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    const others = await startServer({ database: server.current.database, deliveryAllowPrivate: true });
    try {
      const elsewhere = new TestClient(others.url, client.key, client.ledger);
      const creates = Array.from({ length: 20 }, (_, index) => {
        return (index % 2 ? client : elsewhere).create('/anchors', anchor(`a-${index}`));
      });
      const changing = Array.from({ length: 10 }, () => changeLedger(client));
      const answers = await Promise.all(creates);
      await Promise.all(changing);
      expect(answers.map(({ status }) => status)).toEqual(creates.map(() => 201));
      const sent = bridge.received.map(({ body }) => body.data.handle).sort();
      expect(sent).toEqual(creates.map((_, index) => `a-${index}`).sort());
    } finally {
      await others.stop();
    }
  });

  it('is decided once more: who lost the right meanwhile has it not', async () => {
    const founder = newKey();
    const access = [{ action: 'any', record: 'any' }];
    const values = [aspect('create', 'validate')];
    const client = await forwardingLedger(server.current.url, bridge.url, values, { key: founder, access });
    const stranger = client.as(newKey());
    meanwhile(async () => {
      const ledger = (await client.get('/ledger')).body;
      const closed = [{ action: 'any', record: 'any', signer: { public: founder.public } }];
      expect((await client.update('/ledger', ledger, { ...ledger.data, access: closed })).status).toBe(200);
    });
    const answer = await stranger.create('/anchors', anchor('a'));
    expect(answer.status, answer.text).toBe(403);
    expect(bridge.received).toHaveLength(1);
  });

  // Signers that are known are not looked up again, so nothing but a last look at the ledger's version would notice.
  it.each([
    ['/anchors/a', 'strangers'],
    ['/anchors', 'strangers'],
    ['/anchors/a', 'signers'],
    ['/anchors', 'signers'],
  ])('is shown to nobody who lost the right meanwhile: %s with proofs of %s', async (path, whose) => {
    const founder = newKey();
    const values = [aspect('read', 'proxy'), aspect('query', 'proxy')];
    const client = await forwardingLedger(server.current.url, bridge.url, values, { key: founder, access: OPEN });
    bridge.keep(anchor('a'), founder);
    for (const [index, key] of whose === 'signers' ? [founder, bridge.key].entries() : []) {
      await made(client, '/signers', { handle: `s-${index}`, public: key.public, format: 'ed25519-raw' });
    }
    expect((await client.get(path)).status).toBe(200);
    bridge.received.length = 0;
    meanwhile(async () => {
      const ledger = (await client.get('/ledger')).body;
      const closed = [{ action: 'any', record: 'any', signer: { public: founder.public } }];
      expect((await client.update('/ledger', ledger, { ...ledger.data, access: closed })).status).toBe(200);
    });
    expect((await client.get(path)).status).toBe(401);
    expect(bridge.received).toHaveLength(1);
  });

  it('is looked at last whether the ledger is still the same: a list is worked on for a while', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('query', 'proxy')]);
    for (const handle of ['a', 'b', 'c']) bridge.keep(anchor(handle));
    const { suite, store } = server.current.server.service;
    const verify = vi.spyOn(suite, 'verify');
    const version = vi.spyOn(store.ledgers, 'version');
    expect((await client.get('/anchors')).body.data).toHaveLength(3);
    const last = (spy: { mock: { invocationCallOrder: number[] } }) => spy.mock.invocationCallOrder.at(-1) ?? 0;
    expect(verify).toHaveBeenCalledTimes(6);
    expect(last(version)).toBeGreaterThan(last(verify));
    verify.mockRestore();
    version.mockRestore();
  });

  it('is not sent to another bridge that takes over meanwhile', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    meanwhile(async () => {
      const policy = (await client.get('/policies/forwarding')).body;
      const next = processing('forwarding', [aspect('create', 'validate', { invoke: { bridge: 'other' } })]);
      expect((await client.update('/policies/forwarding', policy, next)).status).toBe(200);
    });
    const answer = await client.create('/anchors', anchor('a'));
    const detail = 'Policies have changed while the request was forwarded';
    expect([answer.status, answer.body.data]).toEqual([500, { reason: 'forward.unexpected-error', detail }]);
    expect(bridge.received).toHaveLength(1);
    expect(await stored(client, 'a')).toBe(false);
  });

  it('is the affair of the ledger alone when its policy is dropped meanwhile', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    const policy = (await client.get('/policies/forwarding')).body;
    meanwhile(() => client.call('DELETE', '/policies/forwarding', dropOf(policy, client.key)));
    const answer = await client.create('/anchors', anchor('a'));
    expect(answer.status, answer.text).toBe(201);
    expect(bridge.received).toHaveLength(1);
  });

  it('that comes too late is refused, and forwarded once', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [
      aspect('update', 'validate', { filter: { 'ctx.req.headers.x-slow': { $ne: 'no' } } }),
    ]);
    const record = await made(client, '/anchors', anchor('a'));
    bridge.records.set('a', bridge.sealed(record as unknown as JsonObject));
    const data = { ...anchor('a', { target: 'first' }), parent: record.hash };
    const hash = hashOf(data, native);
    const first = { hash, luid: record.luid, data, meta: { proofs: [proofOver(hash, client.key)] } };
    meanwhile(() => client.call('PUT', '/anchors/a', first, { 'x-slow': 'no' }));
    const answer = await client.update('/anchors/a', record, anchor('a', { target: 'second' }));
    expect(answer.body.data.reason).toBe('crypto.parent-hash-invalid');
    expect(bridge.received).toHaveLength(1);
    expect((await client.get('/anchors/a')).body.data.target).toBe('first');
  });
});

describe('a signer who has registered at another process', () => {
  it('is named in what a bridge alone keeps, where no commit would notice', async () => {
    const values = ['create', 'update', 'read', 'query'].map((action) => aspect(action, 'proxy'));
    const client = await forwardingLedger(server.current.url, bridge.url, values);
    const others = await startServer({ database: server.current.database, deliveryAllowPrivate: true });
    try {
      const me = client.as(newKey());
      const signerOf = ({ body }: TestAnswer) => body.meta.proofs[0].signer;
      expect(signerOf(await me.create('/anchors', anchor('a')))).toBeUndefined();
      const elsewhere = new TestClient(others.url, client.key, client.ledger);
      await made(elsewhere, '/signers', { handle: 'me', public: me.key.public, format: 'ed25519-raw' });
      const read = await me.get('/anchors/a');
      expect(signerOf(read)).toBe('me');
      const [listed] = (await me.get('/anchors')).body.data;
      expect(listed.meta.proofs[0].signer).toBe('me');
      expect(signerOf(await me.update('/anchors/a', read.body, anchor('a', { target: 'b' })))).toBe('me');
    } finally {
      await others.stop();
    }
  });
});

describe('a record that is stored after its bridge has answered', () => {
  it.each(['validate', 'synchronize'])('%s: has the moment of that', async (strategy) => {
    const values = [aspect('create', strategy), aspect('update', strategy)];
    const client = await forwardingLedger(server.current.url, bridge.url, values);
    let answered = '';
    meanwhile(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      answered = new Date().toISOString();
    });
    const created = (await client.create('/anchors', anchor('a'))).body;
    expect(created.meta.moment >= answered, `${created.meta.moment} ${answered}`).toBe(true);
    const updated = (await client.update('/anchors/a', created, anchor('a', { target: 'b' }))).body;
    expect(updated.meta.moment >= answered, `${updated.meta.moment} ${answered}`).toBe(true);
  });
});

describe('two creates of one handle', () => {
  it('are both asked about, and one is stored', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('create', 'validate')]);
    bridge.instead = (received) => ({ status: 201, body: bridge.sealed(received.body) as unknown as JsonObject });
    const answers = await Promise.all(['x', 'y'].map((target) => client.create('/anchors', anchor('a', { target }))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

describe('bridges and policies of another ledger', () => {
  it('are never used', async () => {
    const { url } = server.current;
    const forwards = await forwardingLedger(url, bridge.url, [aspect('create', 'validate'), aspect('read', 'proxy')]);
    const plain = await forwardingLedger(url, bridge.url, []);
    await made(plain, '/anchors', anchor('a'));
    expect((await plain.get('/anchors/a')).status).toBe(200);
    expect(bridge.received).toEqual([]);
    const values = [aspect('create', 'validate', { invoke: { bridge: 'only-theirs' } })];
    const without = await forwardingLedger(url, bridge.url, values);
    const theirs = { handle: 'only-theirs', schema: 'rest', config: { server: bridge.url }, secure: [] };
    await made(forwards, '/bridges', theirs);
    const answer = await without.create('/anchors', anchor('a'));
    expect(answer.body.data.detail).toBe("Forward bridge 'only-theirs' configured but not exists");
    expect(bridge.received).toEqual([]);
  });
});
