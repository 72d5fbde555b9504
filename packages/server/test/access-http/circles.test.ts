import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { dropOf, newKey, signed, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, outcome, readBy, registered, underPolicies } from './support.js';

const server = withServer();

const FOR_OPS: JsonObject[] = [
  { action: 'update', signer: { $circle: 'ops' } },
  { action: 'read', bearer: { $signer: { $circle: 'ops' } } },
];

/** A wallet for the members of `ops`, with alice in it and bob beside it. */
async function scene(rules: JsonObject[] = [GATE]) {
  const founder = await founded(server.current.url, rules);
  const [alice, bob] = [await registered(founder, 'alice'), await registered(founder, 'bob')];
  const [link] = await circleOf(founder, 'ops', 'alice');
  const wallet = await stored(founder, 'wallet', { handle: 'w', access: FOR_OPS });
  return { founder, alice, bob, link: link as RecordEnvelope, wallet };
}

/** Whether the key reads the wallet and may add a proof to it. */
async function allowed(founder: TestClient, key: TestKey, wallet: RecordEnvelope): Promise<[number, number]> {
  const read = await readBy(founder, key, '/wallets/w');
  const proof = await founder.as(key).prove('/wallets/w', wallet, { note: `${Math.random()}` });
  return [read.status, proof.status];
}

describe('membership of a circle (interface/circles#members)', () => {
  it('opens what rules give the circle, and its end closes it, for tokens issued before too', async () => {
    const { founder, alice, bob, link, wallet } = await scene();
    const token = bearer(alice);
    expect(await allowed(founder, alice, wallet)).toEqual([200, 200]);
    expect(await allowed(founder, bob, wallet)).toEqual([403, 403]);
    await stored(founder, 'circle-signer', { circle: 'ops', signer: 'bob' });
    expect(await allowed(founder, bob, wallet)).toEqual([200, 200]);
    ok(await founder.drop('/circles/ops/signers/alice', link));
    expect(outcome(await founder.get('/wallets/w', token))).toBe('403 Cannot read wallet.');
    expect(await allowed(founder, alice, wallet)).toEqual([403, 403]);
    expect(await allowed(founder, bob, wallet)).toEqual([200, 200]);
    await stored(founder, 'circle-signer', { circle: 'ops', signer: 'alice' });
    expect(outcome(await founder.get('/wallets/w', token))).toBe('200');
  });

  it('is of the key the signer has now', async () => {
    const { founder, alice, wallet } = await scene();
    const next = newKey();
    const record = (await readBy(founder, founder.key, '/signers/alice')).body;
    ok(await founder.update('/signers/alice', record, { handle: 'alice', public: next.public, format: 'ed25519-raw' }));
    expect(await allowed(founder, alice, wallet)).toEqual([403, 403]);
    expect(await allowed(founder, next, wallet)).toEqual([200, 200]);
  });

  it('opens the gate, and writes by token alone', async () => {
    const { founder, alice, bob, link } = await scene([
      { action: 'access', signer: { $circle: 'ops' } },
      { action: 'create', record: 'wallet', signer: { $circle: 'ops' } },
    ]);
    const body = (handle: string) => ({ data: { handle }, meta: { proofs: [{ custom: { status: 'created' } }] } });
    const made = ok(await founder.call('POST', '/wallets', body('w-1'), bearer(alice)));
    expect(made.body.meta.proofs[0]).toMatchObject({ signer: 'alice', origin: 'self-signed-token' });
    expect(outcome(await founder.call('POST', '/wallets', body('w-2'), bearer(bob)))).toBe('403 Cannot create wallet.');
    ok(await founder.drop('/circles/ops/signers/alice', link));
    expect(outcome(await founder.call('POST', '/wallets', body('w-3'), bearer(alice)))).toBe(
      '403 Cannot create wallet.',
    );
  });

  it('counts under policies too', async () => {
    const founder = await underPolicies(server.current.url, [
      { handle: 'gate', record: 'ledger', values: [{ action: 'access' }] },
      { handle: 'ops', record: 'wallet', values: [{ action: 'any', bearer: { $signer: { $circle: 'ops' } } }] },
    ]);
    const alice = await registered(founder, 'alice');
    const [link] = await circleOf(founder, 'ops', 'alice');
    await stored(founder, 'wallet', { handle: 'w' });
    expect(outcome(await readBy(founder, alice, '/wallets/w'))).toBe('200');
    ok(await founder.drop('/circles/ops/signers/alice', link as RecordEnvelope));
    expect(outcome(await readBy(founder, alice, '/wallets/w'))).toBe('403 Cannot read wallet.');
  });
});

describe('who may change a circle (interface/circles#members)', () => {
  it.each<
    [title: string, rules: { circle?: JsonObject[]; ledger?: JsonObject[] }, may: ('assign' | 'remove' | 'read')[]]
  >([
    ['nobody', {}, []],
    ['assign-signer on the circle', { circle: [{ action: 'assign-signer' }] }, ['assign']],
    ['remove-signer on the circle', { circle: [{ action: 'remove-signer' }] }, ['remove']],
    ['read on the circle', { circle: [{ action: 'read' }] }, ['read']],
    ['any on the circle', { circle: [{ action: 'any' }] }, ['assign', 'remove', 'read']],
    ['update of the circle is not enough', { circle: [{ action: 'update' }] }, []],
    ['assign-signer by the ledger', { ledger: [{ action: 'assign-signer', record: 'circle' }] }, ['assign']],
    ['create of circle signers', { ledger: [{ action: 'create', record: 'circle-signer' }] }, ['assign']],
    ['drop of circle signers', { ledger: [{ action: 'drop', record: 'circle-signer' }] }, ['remove']],
    ['read of circle signers is not read of the circle', { ledger: [{ action: 'read', record: 'circle-signer' }] }, []],
  ])('%s', async (_, { circle = [], ledger = [] }, may) => {
    const founder = await founded(server.current.url, [GATE, ...ledger]);
    await registered(founder, 'alice');
    await registered(founder, 'bob');
    await stored(founder, 'circle', { handle: 'ops', access: circle });
    const link = await stored(founder, 'circle-signer', { circle: 'ops', signer: 'alice' });
    const stranger = founder.as(newKey());
    const told = {
      read: [
        await readBy(founder, stranger.key, '/circles/ops/signers'),
        await readBy(founder, stranger.key, '/circles/ops/signers/alice'),
      ],
      assign: [await stranger.create('/circles/ops/signers', { circle: 'ops', signer: 'bob' })],
      remove: [await stranger.drop('/circles/ops/signers/alice', link)],
    };
    const refusals = {
      read: 'Cannot read circle.',
      assign: 'Cannot assign-signer circle.',
      remove: 'Cannot remove-signer circle.',
    };
    for (const [what, answers] of Object.entries(told) as [keyof typeof told, typeof told.read][]) {
      for (const answer of answers) {
        expect(outcome(answer)).toMatch(may.includes(what) ? /^20[04]$/ : new RegExp(`^403 ${refusals[what]}$`));
      }
    }
  });

  it('tells what is wrong (interface/circles#members, Errors)', async () => {
    const { founder, link } = await scene();
    const link2 = { circle: 'ops', signer: 'alice', custom: {} };
    const post = (path: string, data: JsonObject) => founder.create(`/circles/${path}/signers`, data);
    expect(outcome(await post('ghost', { circle: 'ghost', signer: 'alice' }))).toBe('404 Circle not found');
    expect(outcome(await post('ops', { circle: 'ops', signer: 'ghost' }))).toBe(
      '422 Referenced Signer ghost not found.',
    );
    expect(outcome(await post('ops', { circle: 'other', signer: 'alice' }))).toBe(
      '422 Circle in the request does not match the circle in the data',
    );
    expectRefusal(
      await post('ops', link2),
      founder,
      'record.duplicated',
      'Circle Signer with handle alice already exists.',
    );
    expect(outcome(await founder.drop('/circles/ops/signers/bob', link))).toBe('404 Circle signer not found');
    const stale = { ...link, hash: '0'.repeat(64) };
    expect(outcome(await founder.drop('/circles/ops/signers/alice', stale))).toBe(
      "422 Hash verification failed, hashes don't match",
    );
    const byLuid = await readBy(founder, founder.key, `/circles/ops/signers/${link.luid}`);
    expect(byLuid.body).toEqual(link);
    await stored(founder, 'circle', { handle: 'other' });
    expect(outcome(await readBy(founder, founder.key, `/circles/other/signers/${link.luid}`))).toMatch(/^(404|422) /);
    expect(outcome(await readBy(founder, founder.key, '/circles/other/signers/alice'))).toBe(
      '404 Circle signer not found',
    );
  });

  it('a link is dropped once, and its signer may join again', async () => {
    const { founder, link } = await scene();
    const body = signed({ parent: link.hash }, founder.key, { status: 'dropped' }, { luid: link.luid });
    expect(outcome(await founder.call('POST', '/circles/ops/signers/alice/drop', body))).toBe('204');
    // The same body again finds it done; one that is signed anew finds nothing.
    expect(outcome(await founder.call('POST', '/circles/ops/signers/alice/drop', body))).toBe('204');
    const another = dropOf(link, founder.key, 'again');
    expect(outcome(await founder.call('POST', '/circles/ops/signers/alice/drop', another))).toBe(
      '404 Circle signer not found',
    );
    const again = await stored(founder, 'circle-signer', { circle: 'ops', signer: 'alice' });
    expect(again.luid).not.toBe(link.luid);
    // The old body names the old link.
    expect(outcome(await founder.call('POST', '/circles/ops/signers/alice/drop', body))).toMatch(/^422 /);
  });
});
