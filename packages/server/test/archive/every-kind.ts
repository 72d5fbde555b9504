import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { examples } from '../kinds/examples.js';
import { issue, MoneyScene, transfer } from '../money/scene.js';
import type { TestClient } from '../support/client.js';
import { changed, ok, pathOf, stored } from '../support/scene.js';

/** Claims that do not move what the tests count. */
const NOWHERE: JsonObject[] = [{ action: 'issue', target: { handle: 'nobody' }, symbol: { handle: 'usd' }, amount: 1 }];

const NAMES = kinds.map(({ name }) => name).filter((name) => name !== 'ledger');

/**
 * What changes the rules that every other write is decided by: made alone, since others would be decided anew, and in each
 * fourth round only.
 */
const RULING: readonly KindName[] = ['domain', 'report', 'policy', 'schema'];
const OTHERS = NAMES.filter((name) => !RULING.includes(name));

/** Rounds that are made at a time. */
const LANES = 8;

/**
 * A ledger that has records of every kind, with histories: updates, added proofs, labels, drops, a handle that was given
 * again, a domain with records in it, secrets; and money that was moved, refused, and is under way.
 *
 * @param rounds how often records of all kinds are made: some forty each time
 */
export async function everyKind(url: string, rounds = 1): Promise<MoneyScene> {
  const scene = await MoneyScene.make(url, ['alice', 'bob', 'carol@north', 'gone'], {
    config: { 'limits.aggregated.enabled': true },
  });
  const { client } = scene;
  const makes = (names: readonly KindName[], round: number) => async () => {
    for (const name of names) await someOf(client, name, round === 1 ? '' : `-${round}`);
  };
  await makes(NAMES, 1)();
  const more = Array.from({ length: rounds - 1 }, (_, at) => at + 2);
  for (const round of more.filter((round) => round % 4 === 0)) await makes(RULING, round)();
  await sideBySide(more.map((round) => makes(OTHERS, round)));
  await stored(client, 'domain', { handle: 'north' });
  await stored(client, 'wallet', { handle: 'till@north' });
  await stored(client, 'domain', { handle: 'far@north' });
  await moneyIn(scene);
  const ledger = ok(await client.get('/ledger')).body as RecordEnvelope;
  const { handle, signer, access, config } = ledger.data;
  ok(
    await client.update('/ledger', ledger, { handle, signer, access, config, custom: { updated: true } } as JsonObject),
  );
  return scene;
}

async function sideBySide(works: (() => Promise<void>)[]): Promise<void> {
  const lane = async () => {
    for (let work = works.shift(); work; work = works.shift()) await work();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Records of a kind, each with another history. */
async function someOf(client: TestClient, name: KindName, suffix: string): Promise<void> {
  const kind = kindNamed(name);
  const { operations } = kind.lifecycle;
  const example = examples[name];
  const fill = (data: JsonObject) => (name === 'intent' ? { ...data, claims: NOWHERE } : data);
  const make = async (handle: string, shape: 'minimal' | 'full') => {
    for (const need of example.needs?.(handle) ?? []) await stored(client, need.kind, need.data);
    const data = fill(example[shape](handle));
    const record = await stored(client, name, data, shape === 'full' ? example.secret : undefined);
    return { data, record, path: pathOf(kind, data) };
  };
  const { data, record, path } = await make(`${name}-a${suffix}`, 'minimal');
  if (operations.includes('update')) ok(await client.update(path, record, changed(data)));
  if (operations.includes('proof')) {
    const current = ok(await client.get(path)).body as RecordEnvelope;
    ok(await client.prove(path, current, { labels: ['one', 'two'], note: 'é "quoted" \\ 1.50' }));
    ok(await client.prove(path, current, { labels: { $pull: 'one' } }));
  }
  const full = await make(`${name}-b${suffix}`, 'full');
  if (!operations.includes('drop')) return;
  ok(await client.drop(full.path, full.record, 'no more'));
  // The handle is free again: another record takes it.
  await stored(client, name, { ...full.data }, example.secret);
}

/** Trails of all sorts that need no bridge, limits, a dropped wallet, and an intent that waits. */
async function moneyIn(scene: MoneyScene): Promise<void> {
  const { client } = scene;
  await scene.issue('alice', 5000);
  await scene.done([transfer('alice', 'bob', 1250)]);
  await scene.done([transfer('alice', 'carol@north', 10), transfer('bob', 'alice', 5)]);
  await scene.rejected([transfer('bob', 'alice', 999_999)]);
  await scene.rejected([transfer('bob', 'nobody', 1)]);
  await scene.done([limit('alice', 'minBalance', -500), limit('bob', 'dailyCount', 50)]);
  await scene.done([limit('alice', 'minBalance', -700), transfer('alice', 'bob', 1), transfer('bob', 'alice', 1)]);
  await scene.done([transfer('alice', 'gone', 4_300)]);
  await scene.done([transfer('gone', 'bob', 4_300)]);
  const gone = ok(await client.get('/wallets/gone')).body as RecordEnvelope;
  ok(await client.drop('/wallets/gone', gone));
  await scene.add(['gone', { handle: 'jar', routes: [{ action: 'forward', target: 'bob' }] }]);
  await scene.issue('gone', 7);
  await scene.done([transfer('gone', 'jar', 3)]);
  await scene.intend([transfer('bob', 'alice', 11)], { config: { commit: 'manual' } });
}

function limit(wallet: string, metric: string, amount: number): JsonObject {
  return { action: 'limit', wallet: { handle: wallet }, symbol: { handle: 'usd' }, metric, amount };
}

export { issue, transfer };
