import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestHash } from '../../src/auth/request-hash.js';
import { provided, providerFactor, policy as providers, signer } from '../oauth/scene.js';
import { newKey, type TestClient, type TestKey, updateOf } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, outcome, readBy, registered } from './support.js';

const server = withServer();

type Who = 'alice' | 'bob' | 'founder' | 'bare';
let founder: TestClient;
const keys = {} as Record<Who, TestKey>;
let made = 0;

beforeAll(async () => {
  founder = await founded(server.current.url, [GATE]);
  keys.founder = founder.key;
  keys.bare = newKey();
  keys.alice = await registered(founder, 'alice', { custom: { team: 'red', rank: 3, tags: ['x', 'y'] } });
  keys.bob = await registered(founder, 'bob', { custom: { team: 'blue' } });
  await circleOf(founder, 'ops', 'alice');
  await circleOf(founder, 'others', 'bob');
  await signer(founder, 'prov');
  await providerFactor(founder);
  await providers(founder);
});

/** A new wallet with that rule. */
async function walletWith(rule: JsonObject): Promise<RecordEnvelope> {
  made += 1;
  return stored(founder, 'wallet', { handle: `w-${made}`, access: [rule as Json] });
}

const path = (record: RecordEnvelope) => `/wallets/${record.data.handle}`;

describe('a signer matcher is held against the keys of the proofs (interface/access#signer-matchers)', () => {
  it.each<[matcher: JsonObject, admitted: Who[]]>([
    [{}, ['alice', 'bob', 'founder', 'bare']],
    [{ handle: 'alice' }, ['alice']],
    [{ handle: { $eq: 'alice' } }, ['alice']],
    [{ handle: { $ne: 'alice' } }, ['bob']],
    [{ handle: { $in: ['alice', 'carol'] } }, ['alice']],
    [{ handle: { $nin: ['alice', 'carol'] } }, ['bob']],
    [{ handle: { $regex: 'ali' } }, ['alice']],
    [{ format: 'ed25519-raw' }, ['alice', 'bob', 'founder', 'bare']],
    [{ format: 'rsa-der' }, []],
    [{ schema: 'none' }, []],
    [{ custom: { team: 'red' } }, ['alice']],
    [{ custom: { team: { $in: ['blue', 'green'] } } }, ['bob']],
    [{ custom: { tags: 'y' } }, ['alice']],
    [{ custom: { team: 'red', rank: 4 } }, []],
    [{ handle: 'alice', custom: { team: 'blue' } }, []],
    [{ $circle: 'ops' }, ['alice']],
    [{ $circle: { $in: ['none', 'others'] } }, ['bob']],
    [{ $circle: 'none' }, []],
    [{ $record: 'owner' }, ['founder']],
    [{ $record: 'creator' }, ['founder']],
    [{ $ledger: 'owner' }, ['founder']],
    [{ $ledger: 'owner', handle: 'alice' }, []],
    [{ $in: [{ handle: 'alice' }, { handle: 'bob' }] }, ['alice', 'bob']],
    [{ $in: [] }, []],
  ])('%j admits %j', async (signer, admitted) => {
    const record = await walletWith({ action: 'drop', signer });
    // The founder may do everything anyway, so who else is refused tells that only the founder is meant.
    for (const who of (['alice', 'bob', 'bare'] as const).filter((who) => !admitted.includes(who))) {
      const answer = await founder.as(keys[who]).drop(path(record), record);
      expect(outcome(answer), who).toBe('403 Cannot drop wallet.');
    }
    const first = admitted.find((who) => who !== 'founder');
    if (first) expect(outcome(await founder.as(keys[first]).drop(path(record), record)), first).toBe('204');
  });

  it('by the owner of the record', async () => {
    const ruled = await founded(server.current.url, [GATE, { action: 'create', record: 'wallet' }]);
    const hers = await stored(ruled.as(keys.alice), 'wallet', {
      handle: 'hers',
      access: [{ action: 'update', signer: { $record: 'owner' } }],
    });
    const update = (key: TestKey) => ruled.as(key).update('/wallets/hers', hers, { handle: 'hers' });
    expect(outcome(await update(keys.bob))).toBe('403 Cannot update wallet.');
    expect(outcome(await update(keys.alice))).toBe('200');
  });

  it('ownership alone grants nothing (interface/access#refusals)', async () => {
    const ruled = await founded(server.current.url, [GATE, { action: 'create', record: 'wallet' }]);
    const record = await stored(ruled.as(keys.alice), 'wallet', { handle: 'hers' });
    expect(outcome(await readBy(ruled, keys.alice, '/wallets/hers'))).toBe('403 Cannot read wallet.');
    const update = await ruled.as(keys.alice).update('/wallets/hers', record, { handle: 'hers' });
    expect(outcome(update)).toBe('403 Cannot update wallet.');
  });
});

describe('a bearer matcher is held against the token (interface/access#signer-matchers)', () => {
  it.each<[matcher: JsonObject, claims: JsonObject, who: Who, admitted: boolean]>([
    [{}, {}, 'bare', true],
    [{ iss: 'prov' }, {}, 'bare', true],
    [{ iss: 'other' }, {}, 'bare', false],
    [{ sub: { $in: ['user:1', 'user:2'] } }, { sub: 'user:2' }, 'bare', true],
    [{ sub: { $nin: ['user:1', 'user:2'] } }, { sub: 'user:2' }, 'bare', false],
    [{ aud: 'ledger', role: 'clerk' }, { aud: 'ledger', role: 'clerk' }, 'bare', true],
    [{ aud: 'ledger', role: 'clerk' }, { aud: 'ledger', role: 'chief' }, 'bare', false],
    [{ role: 'clerk' }, { role: ['chief', 'clerk'] }, 'bare', true],
    [{ role: 'clerk' }, {}, 'bare', false],
    [{ hsh: true }, {}, 'bare', false],
    [{ hsh: true }, { hsh: '' }, 'bare', false],
    [{ $signer: {} }, {}, 'bare', true],
    [{ $signer: { handle: 'alice' } }, {}, 'alice', true],
    [{ $signer: { handle: 'alice' } }, {}, 'bob', false],
    [{ $signer: { $circle: 'ops' } }, {}, 'alice', true],
    [{ $signer: { $circle: 'ops' } }, {}, 'bob', false],
    [{ $signer: { handle: 'alice' }, role: 'clerk' }, {}, 'alice', false],
    [{ $in: [{ iss: 'other' }, { $signer: { handle: 'bob' } }] }, {}, 'bob', true],
    [{ $in: [{ iss: 'other' }, { $signer: { handle: 'bob' } }] }, {}, 'alice', false],
    [{ $in: [] }, {}, 'alice', false],
    // What every object has is not a claim.
    [{ constructor: 'x' }, {}, 'bare', false],
  ])('%j, claims %j, by %s: %j', async (matcher, claims, who, admitted) => {
    const record = await walletWith({ action: 'read', bearer: matcher });
    // Claims count in the tokens of providers alone.
    const isOfClaims = Object.keys(matcher).some((claim) => !claim.startsWith('$') && claim !== 'hsh');
    const answer = isOfClaims
      ? await founder.get(path(record), provided(claims))
      : await readBy(founder, keys[who], path(record), claims);
    expect(outcome(answer)).toBe(admitted ? '200' : '403 Cannot read wallet.');
    expect(outcome(await founder.get(path(record)))).toBe(
      '401 Missing token: send one in the header authorization; a write may be signed instead.',
    );
  });

  it('hsh: a token for this very request is admitted, and nowhere else', async () => {
    const record = await walletWith({ action: 'read', bearer: { hsh: true } });
    const hsh = requestHash({ method: 'GET', url: founder.url + path(record), headers: {}, body: undefined }, []);
    expect(outcome(await readBy(founder, keys.bare, path(record), { hsh }))).toBe('200');
    expect(outcome(await readBy(founder, keys.bare, `${path(record)}?a=b`, { hsh }))).toBe('401 Invalid token.');
  });

  it('signer and bearer in one rule: both must match', async () => {
    const rule = {
      ...{ action: 'update', signer: { handle: 'alice' } },
      bearer: { $signer: { public: keys.bare.public } },
    };
    const record = await walletWith(rule);
    const alice = founder.as(keys.alice);
    const put = (client: TestClient, headers: Record<string, string>) => {
      return client.call('PUT', path(record), updateOf(record, record.data, client.key), headers);
    };
    expect(outcome(await put(alice, {}))).toBe('403 Cannot update wallet.');
    expect(outcome(await put(alice, bearer(keys.alice)))).toBe('403 Cannot update wallet.');
    expect(outcome(await put(founder.as(keys.bob), bearer(keys.bare)))).toBe('403 Cannot update wallet.');
    expect(outcome(await put(alice, bearer(keys.bare)))).toBe('200');
  });
});
