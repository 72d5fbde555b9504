import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { type Dropped, dropped, erase, erasureOf, MAY_ERASE, SECRET_NAME } from '../erasure/support.js';
import { limit, MoneyScene, transfer } from '../money/scene.js';
import { signed, type TestAnswer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';

/** Kinds whose records are erased once they are dropped. */
const DROPPABLE = kinds.filter(({ lifecycle }) => lifecycle.erasable === 'dropped').map(({ name }) => name);

/** An intent that was erased: where it is read, and the bodies that made it and erased it. */
export interface ErasedIntent {
  readonly handle: string;
  readonly path: string;
  readonly luid: string;
  /** Changes that it had. */
  readonly changes: number;
  readonly made: JsonObject;
  readonly erasure: ReturnType<typeof erasureOf>;
  readonly answer: TestAnswer;
}

/** A ledger with erased records of every kind that can be erased, and intents of several ends. */
export interface ErasedLedger {
  readonly scene: MoneyScene;
  readonly dropped: readonly Dropped[];
  readonly intents: readonly ErasedIntent[];
  /** Changes without a text. */
  readonly changes: number;
}

/** Erases an intent that `made` has made, once it is final. */
export async function erasedIntent({ client }: MoneyScene, made: JsonObject): Promise<ErasedIntent> {
  const { handle } = made.data as { handle: string };
  const { luid } = await eventually(async () => {
    const { body } = ok(await client.get(`/intents/${handle}`));
    expect(body.meta.status).toMatch(/^(completed|rejected)$/);
    return body as RecordEnvelope;
  });
  return erasedByLuid({ client }, luid, made);
}

async function erasedByLuid({ client }: Pick<MoneyScene, 'client'>, luid: string, made: JsonObject) {
  const { handle } = made.data as { handle: string };
  const changes = ok(await client.get(`/intents/${luid}/changes`)).body.page.total as number;
  const erasure = erasureOf(luid, changes, client.key);
  const answer = await eventually(async () => ok(await client.call('POST', `/intents/${luid}/erase`, erasure)));
  return { handle, path: `/intents/${luid}`, luid, changes, made, erasure, answer };
}

/** Sends an intent with texts of its own. */
export async function paid({ client }: MoneyScene, handle: string, claims: readonly JsonObject[]): Promise<JsonObject> {
  const made = signed({ handle, claims: [...claims], custom: { note: SECRET_NAME } }, client.key) as JsonObject;
  expect((await client.call('POST', '/intents', made)).status).toBe(201);
  return made;
}

export async function erasedLedger(url: string): Promise<ErasedLedger> {
  const scene = await MoneyScene.make(
    url,
    ['alice', 'bob', 'gone', { handle: 'sends', routes: [{ action: 'forward', target: 'bob' }] }],
    { access: MAY_ERASE, config: { 'limits.aggregated.enabled': true } },
  );
  const { client } = scene;
  await scene.issue('alice', 1_000);
  const intents = [
    await erasedIntent(scene, await paid(scene, 'rent', [transfer('alice', 'bob', 30)])),
    await erasedIntent(scene, await paid(scene, 'dear', [transfer('bob', 'alice', 9_999)])),
    await erasedIntent(scene, await paid(scene, 'bound', [limit('bob', 'maxBalance', 5_000)])),
  ];
  // One that another goes on from: that is erased, too.
  const forwards = await paid(scene, 'forwards', [transfer('alice', 'sends', 7)]);
  const thread = await eventually(async () => {
    const { meta } = await scene.read('forwards');
    const { data } = ok(await client.get('/intents?page.limit=100')).body as { data: RecordEnvelope[] };
    const found = data.filter((one) => one.meta.thread === meta.thread);
    expect(found.map(({ meta }) => meta.status)).toEqual(['completed', 'completed']);
    return found;
  });
  for (const { luid, data } of thread)
    intents.push(await erasedByLuid(scene, luid, data.handle === 'forwards' ? forwards : ({ data } as JsonObject)));
  await scene.done([transfer('alice', 'gone', 5)]);
  await scene.done([transfer('gone', 'bob', 5)]);
  const gone = [await goneWallet(scene)];
  for (const name of DROPPABLE) {
    const one = await dropped(client, name);
    ok(await eventually(() => erase(client, one)));
    gone.push(one);
  }
  await scene.done([transfer('alice', 'bob', 1)]);
  await scene.intend([transfer('alice', 'bob', 2)], { config: { commit: 'manual' } });
  const all = [...intents.map(({ changes }) => changes), ...gone.map(({ changes }) => changes.length)];
  return { scene, dropped: gone, intents, changes: all.reduce((sum, count) => sum + count) };
}

/** A wallet that has had money, and whose handle another has now. */
async function goneWallet(scene: MoneyScene): Promise<Dropped> {
  const { client } = scene;
  const record = ok(await client.get('/wallets/gone')).body as RecordEnvelope;
  ok(await client.drop('/wallets/gone', record));
  const path = `/wallets/${record.luid}`;
  const changes = ok(await client.get(`${path}/changes`)).body.data.reverse();
  const one: Dropped = { kind: 'wallet', record, collection: '/wallets', path, made: {}, changes };
  await eventually(async () => ok(await erase(client, one)));
  await scene.add(['gone']);
  await scene.done([transfer('alice', 'gone', 2)]);
  return one;
}
