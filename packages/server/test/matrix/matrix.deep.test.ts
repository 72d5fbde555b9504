import type { RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Route, recordRoutes } from '../../src/http/routes.js';
import { kinds } from '../../src/kinds/registry.js';
import { Description } from '../http/description.js';
import { newKey, newLedger, noteLedger, signed, type TestAnswer, TestClient } from '../support/client.js';
import { make, ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { expectNoLeak, maySee, promised, REFUSED, routesOf, told } from './answers.js';
import { requestTo } from './requests.js';
import { CALLERS, current, seenBy, sent as sentBy, type Tenant, tenant } from './tenant.js';

const server = withServer();

/** The ledger of the owner of another one. */
let elsewhere: TestClient;
let described: Description;

beforeAll(async () => {
  elsewhere = await newLedger(server.current.url);
  described = await Description.of(server.current.url);
});

type Sent = Parameters<typeof sentBy> extends [Description, ...infer Rest] ? Rest : never;
const sent = (...call: Sent): Promise<TestAnswer> => sentBy(described, ...call);

const CASES = kinds.flatMap((kind) => (['closed', 'open'] as const).map((gate) => ({ kind, name: kind.name, gate })));

describe.each(CASES)('a $name, asked by whom it is not for, the gate $gate', ({ kind, gate }) => {
  let scene: Tenant;
  let record: RecordEnvelope;

  beforeAll(async () => {
    const rules = gate === 'open' ? [{ action: 'access' }] : [];
    scene = await tenant(server.current.url, kind.name, 'owner', elsewhere.key, rules);
    record = await current(scene);
  });

  it.each(routesOf(kind).map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    // By one name past one gate, by the other past the other; the quick tier has pairs of both with all else.
    const id = gate === 'open' ? scene.scene.path.replace(/^.*\//, '') : record.luid;
    for (const who of REFUSED) {
      const view = seenBy(scene, who);
      const { method, path, body } = requestTo(route, view, record, id);
      const answer = await sent(view.client, who, method, path, body);
      expect(told(answer), `${who} ${method} ${path}`).toBe(promised(route, who, gate, path));
      if (maySee(route, who)) expect(answer.text).toContain(scene.canary);
      else expectNoLeak(answer, scene.canary, `${who} ${method} ${path}`);
    }
  });

  it('stays what it was, whatever they tried', async () => {
    expect(await current(scene)).toEqual(record);
  });

  // Once is enough: the gate of this ledger has no say in another.
  if (gate === 'open') return;
  it('is not in the ledger of another, even for its owner', async () => {
    const strange = { ...seenBy(scene, 'other'), client: elsewhere };
    for (const route of routesOf(kind)) {
      for (const id of [scene.scene.path.replace(/^.*\//, ''), record.luid]) {
        const { method, path, body } = requestTo(route, strange, record, id);
        if (route.operation.name === 'create' || route.operation.name === 'update') continue;
        const answer = await sent(elsewhere, 'other', method, path, body);
        expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500);
        if (route.of === 'record' && kind.name !== 'ledger') expect(answer.status, path).toBe(404);
        expectNoLeak(answer, scene.canary, `${method} ${path} from another ledger`);
      }
    }
  });
});

/** Drops last, each on a record of its own. */
function withLock(routes: readonly Route[]): Route[] {
  const isLast = ({ operation }: Route) => operation.name === 'drop';
  return [...routes.filter((route) => !isLast(route)), ...routes.filter(isLast)];
}

describe.each(kinds)('a $name, asked by whom it is for', (kind) => {
  it.each(['owner', 'member'] as const)('%s', async (who) => {
    const scene = await tenant(server.current.url, kind.name, who, elsewhere.key);
    const view = seenBy(scene, who);
    let dropped = false;
    // The scene has made the record through the route for creates, as this caller.
    for (const route of withLock(routesOf(kind)).filter(({ operation }) => operation.name !== 'create')) {
      if (dropped) await make(view);
      dropped = route.operation.name === 'drop';
      const record = await current(scene);
      const { method, path, body } = requestTo(route, view, record, scene.scene.path.replace(/^.*\//, ''));
      const answer = await sent(view.client, who, method, path, body);
      expect(told(answer), `${who} ${method} ${path}`).toBe(promised(route, who, 'closed', path));
      if (maySee(route, who)) expect(answer.text).toContain(scene.canary);
      if (dropped && kind.lifecycle.operations.includes('changes')) await expectHistoryGuarded(scene, record);
    }
  });
});

/** What was dropped is as closed as what is there. */
async function expectHistoryGuarded(scene: Tenant, record: RecordEnvelope): Promise<void> {
  const path = scene.scene.path.replace(/[^/]+$/, record.luid);
  for (const who of CALLERS) {
    for (const end of ['/changes', '/changes/1', '']) {
      const answer = await sent(seenBy(scene, who).client, who, 'GET', path + end);
      const sees = end !== '' && ['reader', 'owner', 'member'].includes(who);
      expect(answer.status < 300, `${who} ${path}${end}`).toBe(sees);
      expect(answer.status).toBeLessThan(500);
      if (sees) expect(answer.text).toContain(scene.canary);
      else expectNoLeak(answer, scene.canary, `${who} GET ${path}${end}`);
    }
  }
}

describe('the ledgers themselves', () => {
  it('GET /ledgers shows each caller its own', async () => {
    const scene = await tenant(server.current.url, 'ledger', 'owner', elsewhere.key);
    for (const who of CALLERS) {
      const client = new TestClient(server.current.url, scene.keys[who]);
      const answer = await sent(client, who, 'GET', '/ledgers');
      expect(answer.status).toBe(who === 'none' || who === 'bad' ? 401 : 200);
      const named = scene.scene.client.ledger ?? '';
      expect(answer.text.includes(named), who).toBe(who === 'owner');
      if (who === 'owner') expect(answer.text).toContain(scene.canary);
      else expectNoLeak(answer, scene.canary, `${who} GET /ledgers`);
    }
  });

  it('POST /ledgers is for everyone who signs, and tells nothing of a ledger that is there', async () => {
    const scene = await tenant(server.current.url, 'ledger', 'owner', elsewhere.key);
    for (const [index, who] of CALLERS.entries()) {
      const client = new TestClient(server.current.url, scene.keys[who]);
      const handle = `made-${process.pid}-${index}`;
      const answer = await sent(client, who, 'POST', '/ledgers', signed({ handle, signer: 'system' }, client.key));
      expect(answer.status, who).toBe({ none: 422, bad: 401 }[who as string] ?? 201);
      if (answer.status === 201) noteLedger(answer.body);
      const data = { handle: scene.scene.client.ledger ?? '', signer: 'system' };
      const taken = await sent(client, who, 'POST', '/ledgers', signed(data, client.key));
      expect(taken.status, who).toBe({ none: 422, bad: 401 }[who as string] ?? 409);
      expectNoLeak(taken, scene.canary, `${who} POST /ledgers`);
    }
  });
});

describe('the matrix', () => {
  it('covers every route there is', () => {
    const routes = recordRoutes();
    expect(new Set(routes.map(({ kind }) => kind.name)).size).toBe(kinds.length);
    expect(routes.length).toBeGreaterThan(100);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
  });

  it('a refusal says why, and nothing else', async () => {
    const scene = await tenant(server.current.url, 'wallet', 'owner', elsewhere.key);
    const key = newKey();
    const hidden = await scene.scene.client.get(scene.scene.path, bearer(key));
    expect(Object.keys(hidden.body.data)).toEqual(['reason', 'detail']);
    expect(ok(await scene.scene.client.get(scene.scene.path, bearer(scene.keys.reader))).text).toContain(scene.canary);
  });
});
