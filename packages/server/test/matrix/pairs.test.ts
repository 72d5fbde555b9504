import type { RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { Description } from '../http/description.js';
import { newLedger, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { expectNoLeak, type Gate, maySee, promised, REFUSED, routesOf, told } from './answers.js';
import { pairwise } from './pairs.js';
import { requestTo } from './requests.js';
import { current, seenBy, sent, type Tenant, tenant } from './tenant.js';

const server = withServer();

let described: Description;
/** The ledger of the owner of another one. */
let elsewhere: TestClient;

beforeAll(async () => {
  described = await Description.of(server.current.url);
  elsewhere = await newLedger(server.current.url);
});

/** Who asks for what, past which gate, by which name: all there are (the deep tier's), of which these are pairs. */
const ALL = kinds.flatMap((kind) =>
  routesOf(kind).flatMap((route) =>
    (['closed', 'open'] as const satisfies Gate[]).flatMap((gate) =>
      REFUSED.flatMap((who) => (['handle', 'luid'] as const).map((by) => ({ kind, route, gate, who, by }))),
    ),
  ),
);
const CASES = pairwise(ALL, ({ kind, route, gate, who, by }) => [kind.name, route.operation.name, gate, who, by]);

const GATES = kinds.flatMap((kind) => (['closed', 'open'] as const).map((gate) => ({ kind, name: kind.name, gate })));

describe.each(GATES)('a $name, asked by whom it is not for, the gate $gate', ({ kind, gate }) => {
  let scene: Tenant;
  let record: RecordEnvelope;

  beforeAll(async () => {
    scene = await tenant(
      server.current.url,
      kind.name,
      'owner',
      elsewhere.key,
      gate === 'open' ? [{ action: 'access' }] : [],
    );
    record = await current(scene);
  });

  const rows = CASES.filter((one) => one.kind === kind && one.gate === gate);
  it.each(rows.map((one) => ({ ...one, method: one.route.method, path: one.route.path })))(
    '$who: $method $path by $by',
    async ({ route, who, by }) => {
      const view = seenBy(scene, who);
      const handle = scene.scene.path.replace(/^.*\//, '');
      const { method, path, body } = requestTo(route, view, record, by === 'luid' ? record.luid : handle);
      const answer = await sent(described, view.client, who, method, path, body);
      expect(told(answer)).toBe(promised(route, who, gate, path));
      if (maySee(route, who)) expect(answer.text).toContain(scene.canary);
      else expectNoLeak(answer, scene.canary, `${who} ${method} ${path}`);
    },
  );

  it('stays what it was, whatever they tried', async () => {
    expect(await current(scene)).toEqual(record);
  });
});
