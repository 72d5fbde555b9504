import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../../src/auth/native-suite.js';
import type { KindName } from '../../../src/kinds/kind.js';
import { kindNamed } from '../../../src/kinds/registry.js';
import { newLedger, updateOf } from '../../support/client.js';
import { testedKinds } from '../../support/kinds.js';
import { changed, make, ok, type Scene, setScene, withSecret } from '../../support/scene.js';
import { withServer } from '../../support/server.js';

const server = withServer();

/** The hash is that of the data beside it, as a client that knows no kinds computes it (interface/hashes). */
function expectHashed({ hash, data }: Pick<RecordEnvelope, 'hash' | 'data'>, what: string): void {
  expect(hashOf(data, native), `${what}: ${JSON.stringify(data)}`).toBe(hash);
}

/** Everything that shows the scene's record, each with the request that shows it. */
async function shown({ client, kind, collection, path }: Scene, luid: string): Promise<[string, RecordEnvelope][]> {
  const isLedger = kind.name === 'ledger';
  const byLuid = isLedger ? path : path.replace(/[^/]+$/, luid);
  const reads = isLedger ? [path, `/ledgers/${luid}`] : [path, byLuid];
  const found: [string, RecordEnvelope][] = [];
  for (const one of reads) {
    const { status, body } = await client.get(one);
    if (status === 200) found.push([`GET ${one}`, body]);
  }
  const lists = [...(isLedger ? [] : [collection]), `${byLuid}/changes`];
  for (const one of lists) {
    const { body } = await client.get(one);
    expectHashed(body, `GET ${one}`);
    found.push(...body.data.map((record: RecordEnvelope): [string, RecordEnvelope] => [`GET ${one}`, record]));
  }
  const { body: history } = await client.get(`${byLuid}/changes`);
  for (let number = 1; number <= history.page.total; number += 1) {
    const one = `${byLuid}/changes/${number}`;
    found.push([`GET ${one}`, ok(await client.get(one)).body]);
  }
  return found;
}

async function expectAllHashed(scene: Scene, luid: string): Promise<void> {
  const records = await shown(scene, luid);
  expect(records.length).toBeGreaterThan(1);
  for (const [what, record] of records) expectHashed(record, what);
}

const CREDENTIALS = { schema: 'oauth-client-credentials', format: undefined, public: undefined, secret: undefined };

type Shape = 'minimal' | 'full' | JsonObject;

/** Both examples of every kind, and what the ledger has a hand in beside them. */
const SHAPES: { name: KindName; what: string; shape: Shape }[] = [
  ...testedKinds.flatMap(({ name }) => (['minimal', 'full'] as const).map((shape) => ({ name, what: shape, shape }))),
  { name: 'signer-factor', what: 'key pair without secret', shape: { secret: undefined } as unknown as JsonObject },
  { name: 'signer-factor', what: 'credentials made by the ledger', shape: CREDENTIALS as unknown as JsonObject },
];

/** The scene of a record with example data, or with members of it replaced. */
async function sceneOf(name: KindName, shape: Shape): Promise<Scene> {
  if (typeof shape === 'string') return setScene(server.current.url, name, { shape });
  const { secret: _, ...scene } = await setScene(server.current.url, name, { shape: 'full' });
  return { ...scene, data: JSON.parse(JSON.stringify({ ...scene.data, ...shape })) };
}

describe('a served hash is the hash of the served data (interface/hashes)', () => {
  it.each(SHAPES)('of a $name, $what, after every operation', async ({ name, shape }) => {
    const kind = kindNamed(name);
    const scene = await sceneOf(name, shape);
    const { client, path } = scene;
    const made = await make(scene);
    const versions: [string, RecordEnvelope][] = [['create', made]];
    const current = () => versions.at(-1)?.[1] as RecordEnvelope;
    if (kind.lifecycle.operations.includes('proof')) {
      versions.push(['proof', ok(await client.prove(path, current(), { note: 'seen' })).body]);
    }
    if (kind.lifecycle.operations.includes('update')) {
      const body = withSecret(updateOf(current(), changed(scene.data), client.key), scene.secret);
      versions.push(['update', ok(await client.call('PUT', path, body)).body]);
      // What was read is sent back as it is, with nothing but its parent put right.
      versions.push(['sent back', ok(await client.update(path, current(), current().data)).body]);
    }
    for (const [what, record] of versions) expectHashed(record, what);
    await expectAllHashed(scene, made.luid);
    if (!kind.lifecycle.operations.includes('drop')) return;
    expect((await client.drop(path, current())).status).toBe(204);
    await expectAllHashed(scene, made.luid);
  });

  it('of the records that a ledger is born with', async () => {
    const client = await newLedger(server.current.url);
    for (const path of ['/signers', '/policies', '/schemas']) {
      for (const record of (await client.get(path)).body.data) expectHashed(record, path);
    }
  });

  it.each([
    ['ledger', 'config'],
    ['signer-factor', 'secret'],
  ] as const)('of a %s whose client signed a null %s: the null is served, as it was signed', async (name, member) => {
    const scene = await sceneOf(name, { [member]: null });
    const made = await make(scene);
    expect(made.data[member]).toBeNull();
    expectHashed(made, 'create');
    await expectAllHashed(scene, made.luid);
    const { [member]: _, ...without } = scene.data;
    const updated: RecordEnvelope = ok(await scene.client.update(scene.path, made, without)).body;
    expect(updated.data).not.toHaveProperty(member);
    await expectAllHashed(scene, made.luid);
  });
});
