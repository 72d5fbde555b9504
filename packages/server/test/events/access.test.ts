import type { Json, JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { founded, GATE, outcome, underPolicies } from '../access-http/support.js';
import { createIn } from '../domains/scene.js';
import { newKey, signed, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { holdDeliveries, loadRows } from './support.js';

const server = withOwnServer();
beforeAll(() => holdDeliveries(server.current));

type Kind = 'effect' | 'bridge';

/** The routes, with the action that each asks for. */
const ROUTES = [
  ['GET', 'events', 'query-event', 200],
  ['GET', 'events/:event', 'query-event', 200],
  ['POST', 'events/retry', 'retry-event', 202],
  ['POST', 'activate', 'activate', 202],
] as const;

type Route = (typeof ROUTES)[number];

const CASES = (['effect', 'bridge'] as const).flatMap((kind) =>
  ROUTES.map((route) => [`${route[0]} /${kind}s/{id}/${route[1]}`, kind, route] as const),
);

/** A rule that grants an action on a kind to a key: by what it signs, and by its token. */
function ruleFor({ public: key }: TestKey, action: Json, record?: string): JsonObject[] {
  const what = { action, ...(record === undefined ? {} : { record }) };
  return [
    { ...what, signer: { public: key } },
    { ...what, bearer: { $signer: { public: key } } },
  ];
}

interface Scene {
  readonly founder: TestClient;
  readonly path: string;
  readonly event: string;
}

/** An effect that leads to a bridge, with a delivery. */
async function setDeliveryScene(founder: TestClient, kind: Kind, access: Json[] = [], domain?: string): Promise<Scene> {
  const bridge: JsonObject = {
    handle: domain === undefined ? 'post' : `post@${domain}`,
    schema: 'rest',
    config: { server: 'https://bridge.example' },
    secure: [],
    ...(kind === 'bridge' ? { access } : {}),
  };
  const effect = {
    handle: 'hook',
    signal: 'wallet-created',
    action: { bridge: String(bridge.handle) },
    ...(kind === 'effect' ? { access } : {}),
  };
  await stored(founder, 'bridge', bridge);
  if (domain === undefined) await stored(founder, 'effect', effect);
  else ok(await createIn(founder, '/effects', domain, effect));
  await stored(founder, 'wallet', { handle: domain === undefined ? 'w' : `w@${domain}` });
  const [row] = await loadRows(server.current, founder);
  return { founder, path: kind === 'effect' ? '/effects/hook' : `/bridges/${bridge.handle}`, event: row!.handle };
}

function ask({ founder, path, event }: Scene, [method, end]: Route, key: TestKey): Promise<TestAnswer> {
  const body = method === 'POST' ? signed({}, key, {}) : undefined;
  return founder.call(method, `${path}/${end.replace(':event', event)}`, body, method === 'GET' ? bearer(key) : {});
}

describe.each(CASES)('%s', (_, kind, route) => {
  const [method, end, action, status] = route;
  const refused = `403 Cannot ${action} ${kind}.`;

  it('asks for its action on the record, by the rules of the record itself', async () => {
    const [allowed, other, reader, all] = [newKey(), newKey(), newKey(), newKey()];
    const others = ['query-event', 'retry-event', 'activate'].filter((one) => one !== action);
    const access = [
      ...ruleFor(allowed, action, kind),
      ...ruleFor(other, { $in: others }, kind),
      ...ruleFor(reader, { $in: ['read', 'query', 'update', 'drop', 'create'] }, kind),
      ...ruleFor(all, 'any', kind),
    ];
    const scene = await setDeliveryScene(await founded(server.current.url, [GATE]), kind, access);
    expect(outcome(await ask(scene, route, allowed))).toBe(String(status));
    expect(outcome(await ask(scene, route, all))).toBe(String(status));
    for (const key of [other, reader, newKey()]) expect(outcome(await ask(scene, route, key))).toBe(refused);
  });

  it('by the rules of the ledger and of the domain, there and nowhere else', async () => {
    const [ofLedger, ofDomain, ofOther] = [newKey(), newKey(), newKey()];
    const founder = await founded(server.current.url, [GATE, ...ruleFor(ofLedger, action, kind)]);
    await stored(founder, 'domain', { handle: 'sales', access: ruleFor(ofDomain, action, kind) });
    await stored(founder, 'domain', { handle: 'bank', access: ruleFor(ofOther, 'any', 'any') });
    const scene = await setDeliveryScene(founder, kind, [], 'sales');
    expect(outcome(await ask(scene, route, ofLedger))).toBe(String(status));
    expect(outcome(await ask(scene, route, ofDomain))).toBe(String(status));
    expect(outcome(await ask(scene, route, ofOther))).toBe(refused);
  });

  it('by the values of policies', async () => {
    const [allowed, stranger] = [newKey(), newKey()];
    const entering = { handle: 'enter', record: 'ledger', values: [{ action: 'access' }] };
    const granting = { handle: 'grant', record: kind, values: ruleFor(allowed, action, kind) };
    const scene = await setDeliveryScene(await underPolicies(server.current.url, [entering, granting]), kind);
    expect(outcome(await ask(scene, route, allowed))).toBe(String(status));
    expect(outcome(await ask(scene, route, stranger))).toBe(refused);
  });

  it('of nobody is 401, or is not signed', async () => {
    const scene = await setDeliveryScene(await founded(server.current.url, [GATE]), kind);
    const path = `${scene.path}/${end.replace(':event', scene.event)}`;
    const without = { hash: signed({}, newKey()).hash, data: {}, meta: { proofs: [] } };
    const answer = await scene.founder.call(method, path, method === 'POST' ? without : undefined);
    const unsigned = '422 Ledger mutations must be signed.';
    expect(outcome(answer)).toBe(
      method === 'GET'
        ? '401 Missing token: send one in the header authorization; a write may be signed instead.'
        : unsigned,
    );
    expect(outcome(await ask({ ...scene, path: `${scene.path}-none` }, route, newKey()))).toMatch(/^404 /);
  });

  if (method !== 'POST') return;
  it('of a token alone is that of the signer it stands for', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const key = newKey();
    const scene = await setDeliveryScene(founder, kind, ruleFor(key, action, kind));
    const path = `${scene.path}/${end}`;
    const unsigned = { data: {}, meta: { proofs: [{ custom: {} }] } };
    const call = () => founder.call('POST', path, unsigned, bearer(key));
    expect(outcome(await call())).toBe('422 Ledger mutations must be signed.');
    await stored(founder, 'signer', { handle: 's', public: key.public, format: 'ed25519-raw' });
    expect(outcome(await call())).toBe('202');
    expect(outcome(await call())).toBe('202');
  });

  it('is worth nothing by the keys of the ledger itself', async () => {
    const founder = await founded(server.current.url, [{ action: 'any', record: 'any' }]);
    const scene = await setDeliveryScene(founder, kind);
    const { system } = await server.current.server.service.ledgers.resolve(founder.ledger!);
    const { hash, data } = signed({}, newKey());
    const proof = system.sign(hash, { moment: new Date().toISOString() });
    const answer = await founder.call('POST', `${scene.path}/${end}`, { hash, data, meta: { proofs: [proof] } });
    expect(outcome(answer)).toBe('422 Ledger mutations must be signed.');
  });
});
