import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { KindName } from '../../../src/kinds/kind.js';
import { expectList, expectRefusal, expectRules } from '../../support/checks.js';
import { newKey, signed, type TestKey } from '../../support/client.js';
import { testedKinds } from '../../support/kinds.js';
import { createBody, make, requestsOn, type Scene, type Sent, setScene } from '../../support/scene.js';
import { withServer } from '../../support/server.js';
import { bearer } from '../../support/token.js';

/** The rules of a ledger that is for one key alone: what it signs, and what it reads with its own token. */
function rulesFor({ public: key }: TestKey): JsonObject[] {
  return [
    { action: 'any', record: 'any', signer: { public: key } },
    { action: 'read', record: 'any', bearer: { $signer: { public: key } } },
  ];
}

/** What a refusal says: circle signers are judged by their circle, and proofs have names of their own. */
function refusalOf(name: KindName, operation: Sent['operation']): string {
  if (name === 'circle-signer') return CIRCLE[operation] ?? 'Cannot read circle.';
  if (operation === 'proof') return `Cannot create ${name}-proof.`;
  const action = { changes: 'read', list: 'query' }[operation as string] ?? operation;
  return `Cannot ${action} ${name}.`;
}

const CIRCLE: Partial<Record<Sent['operation'], string>> = {
  create: 'Cannot assign-signer circle.',
  drop: 'Cannot remove-signer circle.',
};

const server = withServer();

async function closedScene(name: KindName): Promise<{ scene: Scene; founder: TestKey; record: RecordEnvelope }> {
  const founder = newKey();
  const scene = await setScene(server.current.url, name, { key: founder, access: rulesFor(founder) });
  return { scene, founder, record: await make(scene) };
}

/** What the founder sees. */
async function seenByFounder({ client, collection, path, kind }: Scene, founder: TestKey): Promise<unknown[]> {
  const paths = [path, ...(kind.name === 'ledger' ? [] : [collection])];
  const answers = await Promise.all(paths.map((one) => client.get(one, bearer(founder))));
  for (const answer of answers) expect(answer.status, answer.text).toBe(200);
  return answers.map((answer) => answer.body.data);
}

describe.each(testedKinds)('a $name in a ledger for one key', (kind) => {
  const { name } = kind;

  it('is changed by that key alone: 403 for a stranger, and nothing is stored', async () => {
    const { scene, founder, record } = await closedScene(name);
    const stranger = scene.client.as(newKey());
    const strange: Scene = { ...scene, client: stranger, maker: stranger };
    const before = await seenByFounder(scene, founder);
    const another = { ...scene.data, ...(name === 'circle-signer' ? { custom: {} } : { handle: `${scene.handle}-2` }) };
    const writes: Sent[] = requestsOn(strange, record).filter(({ body }) => body !== undefined);
    if (name !== 'ledger') {
      const body = createBody({ ...strange, data: another });
      writes.push({ operation: 'create', method: 'POST', path: scene.collection, body });
    }
    for (const { operation, method, path, body } of writes) {
      for (const headers of [{}, bearer(stranger.key)]) {
        const answer = await stranger.call(method, path, body, headers);
        if (operation === 'check') {
          expect(expectRules(answer, stranger)).toEqual([]);
        } else if (name === 'intent' && operation === 'proof') {
          // One for the rule that is for another signer, and two (interface/access#refusals).
          const errors = Array(3).fill('Cannot find required signer.');
          expectRefusal(answer, stranger, 'auth.forbidden', 'Missing permissions', { errors });
        } else {
          expectRefusal(answer, stranger, 'auth.forbidden', refusalOf(name, operation));
        }
      }
    }
    expect(await seenByFounder(scene, founder)).toEqual(before);
  });

  it('is read by that key alone: 401 without a token, 403 with the token of another', async () => {
    const { scene, founder, record } = await closedScene(name);
    const { client } = scene;
    const reads = requestsOn(scene, record).filter(({ body }) => body === undefined);
    if (name !== 'ledger') reads.push({ operation: 'list', method: 'GET', path: scene.collection });
    for (const { operation, path } of reads) {
      const own = await client.get(path, bearer(founder));
      expect(own.status, own.text).toBe(200);
      const [without, stranger, forged] = await Promise.all([
        client.get(path),
        client.get(path, bearer(newKey())),
        client.get(path, { authorization: `${bearer(founder).authorization}A` }),
      ]);
      expectRefusal(forged!, client, 'auth.unauthorized', 'Invalid token.');
      if (name === 'ledger') {
        // A rule of the deployment lets everyone read the record of a ledger (interface/access#levels).
        expect([without?.status, stranger?.status]).toEqual([200, 200]);
      } else {
        expectRefusal(
          without!,
          client,
          'auth.unauthorized',
          'Missing token: send one in the header authorization; a write may be signed instead.',
        );
        expectRefusal(stranger!, client, 'auth.forbidden', refusalOf(name, operation));
      }
    }
  });

  if (name !== 'ledger')
    it('is not found before anyone asks who wants it', async () => {
      const { scene } = await closedScene(name);
      const answer = await scene.client.get(scene.path.replace(/[^/]+$/, 'ghost'));
      expect(answer.status).toBe(404);
      expect(answer.body.data.reason).toBe('record.not-found');
    });
});

describe('a ledger without rules', () => {
  it('lets nobody do anything but read its own record', async () => {
    const scene = await setScene(server.current.url, 'ledger', { access: [] });
    const record = await make(scene);
    const founder = scene.client;
    const token = bearer(founder.key);
    const update = await founder.update('/ledger', record, { handle: scene.handle, signer: 'system' });
    expectRefusal(update, founder, 'auth.forbidden', 'Cannot update ledger.');
    const create = await founder.create('/wallets', { handle: 'w' });
    expectRefusal(create, founder, 'auth.forbidden', 'Cannot create wallet.');
    expectRefusal(await founder.get('/wallets', token), founder, 'auth.forbidden', 'Cannot query wallet.');
    expectRefusal(await founder.get('/signers/system', token), founder, 'auth.forbidden', 'Cannot read signer.');
    expectRefusal(
      await founder.get('/wallets'),
      founder,
      'auth.unauthorized',
      'Missing token: send one in the header authorization; a write may be signed instead.',
    );
    expect((await founder.get('/ledger')).body).toEqual(record);
    const changes = await founder.get('/ledger/changes');
    expectList(changes, founder, { index: 0, limit: 20, total: 1 });
  });

  it('asks for a proof even where a token would do', async () => {
    const scene = await setScene(server.current.url, 'wallet');
    const { client } = scene;
    const body = signed(scene.data, client.key);
    const answer = await client.call('POST', '/wallets', { ...body, meta: {} }, bearer(newKey()));
    expectRefusal(answer, client, 'crypto.signature-missing', 'Ledger mutations must be signed.');
  });
});
