import type { RecordEnvelope } from '@countersign/protocol';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { storeInTransaction } from '../../src/store/committer/batch.js';
import { createPool } from '../../src/store/pool.js';
import { writeOf } from '../store/write.js';
import { newKey, newLedger, proofOver, signed, TestClient, type TestKey } from '../support/client.js';
import { untilOneWaitsFor } from '../support/locked.js';
import { ok, stored } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, listedFor, outcome, registered, statusSet } from './support.js';

/** What one process has acknowledged, or is about to commit, binds the other; races are held still where it matters. */
describe('two servers on one database', () => {
  const servers = withTwoServers();

  /** The client as the other server sees it. */
  const there = ({ key, ledger }: TestClient, as: TestKey = key) => new TestClient(servers.current[1].url, as, ledger);

  const pair = (key: TestKey) => ({ public: key.public, format: 'ed25519-raw' });

  it('show no record in a list to who was put out of the circle that may read it', async () => {
    const founder = await founded(servers.current[0].url, [GATE]);
    const alice = await registered(founder, 'alice');
    let [link] = await circleOf(founder, 'ops', 'alice');
    const access = [{ action: 'read', bearer: { $signer: { $circle: 'ops' } } }];
    await stored(founder, 'wallet', { handle: 'w', access });
    const other = there(founder, alice);
    for (const path of ['/wallets', '/wallets?data.handle=w', '/wallets?data.custom.tier.$ne=gold']) {
      // The other server knows from here on who alice is, and looks for it no more.
      expect(await listedFor(other, alice, path)).toEqual(['w']);
      ok(await founder.drop('/circles/ops/signers/alice', link as RecordEnvelope));
      expect(await listedFor(other, alice, path)).toEqual([]);
      link = await stored(founder, 'circle-signer', { circle: 'ops', signer: 'alice' });
    }
  });

  it('show no record in a list by a rule that was taken back, of the ledger or of a domain', async () => {
    const founder = await founded(servers.current[0].url, [GATE]);
    const alice = newKey();
    const rule = { action: 'read', record: 'wallet', bearer: { $signer: { public: alice.public } } };
    const domain = await stored(founder, 'domain', { handle: 'd', access: [rule] });
    await stored(founder, 'wallet', { handle: 'w@d' });
    const other = there(founder, alice);
    expect(await listedFor(other, alice, '/wallets')).toEqual(['w@d']);
    ok(await founder.update('/domains/d', domain, { handle: 'd', access: [] }));
    expect(await listedFor(other, alice, '/wallets')).toEqual([]);
  });

  it('answer no create that is sent again by who was put out of the circle that may create', async () => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'create', record: 'wallet', signer: { $circle: 'ops' } },
    ]);
    const alice = await registered(founder, 'alice');
    const [link] = await circleOf(founder, 'ops', 'alice');
    const other = there(founder, alice);
    const body = signed({ handle: 'w' }, alice);
    expect(outcome(await other.call('POST', '/wallets', body))).toBe('201');
    expect(outcome(await other.call('POST', '/wallets', body))).toBe('200');
    ok(await founder.drop('/circles/ops/signers/alice', link as RecordEnvelope));
    expect(outcome(await other.call('POST', '/wallets', body))).toBe('403 Cannot create wallet.');
  });

  it('let one of two members of a circle put the other out, though both had decided to', async () => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'any', record: 'any', signer: { $circle: 'admins' } },
    ]);
    const alice = founder.as(await registered(founder, 'alice'));
    await registered(founder, 'bob');
    const [ofAlice, ofBob] = (await circleOf(founder, 'admins', 'alice', 'bob')) as [RecordEnvelope, RecordEnvelope];
    ok(await alice.get('/circles/admins/signers', bearer(founder.key)));
    await holding(async (bobs, pool, released) => {
      // Bob's process has put alice out, and has not committed yet: what alice decides now is decided on what was before.
      const { rows } = await bobs.query('select id, version from ledger where handle = $1', [founder.ledger]);
      const { id: ledger, version } = rows[0];
      const drop = writeOf(1, {
        ...{ ledger, version, action: 'drop', kind: 'circle-signer', key: 'admins/alice', luid: ofAlice.luid },
        ...{ change: 2, hash: ofAlice.hash, body: JSON.stringify(ofAlice), bumpsRules: true },
      });
      expect(await storeInTransaction(bobs, pool, drop)).toEqual({ result: 'done', version: version + 1 });
      const answer = alice.drop('/circles/admins/signers/bob', ofBob);
      await untilOneWaitsFor(servers.databaseUrl, bobs);
      await released();
      expect(outcome(await answer)).toBe('403 Cannot remove-signer circle.');
    });
    const left = ok(await founder.get('/circles/admins/signers', bearer(founder.key)));
    expect(left.body.data.map(({ data }: RecordEnvelope) => data.signer)).toEqual(['bob']);
  });

  it('decide anew what waited for a change of the rules that came to nothing', async () => {
    const founder = await founded(servers.current[0].url, [GATE]);
    await registered(founder, 'bob');
    const [link] = (await circleOf(founder, 'admins', 'bob')) as [RecordEnvelope];
    await holding(async (other, _, released) => {
      await other.query('update ledger set version = version + 1 where handle = $1', [founder.ledger]);
      const answer = founder.drop('/circles/admins/signers/bob', link);
      await untilOneWaitsFor(servers.databaseUrl, other);
      await released('rollback');
      expect(outcome(await answer)).toBe('204');
    });
  });

  it("name the signer of a factor's key in the proofs of the next write, though it was a stranger's there", async () => {
    const here = await newLedger(servers.current[0].url);
    await registered(here, 'alice');
    const key = newKey();
    const other = there(here, key);
    const first = ok(await other.create('/wallets', { handle: 'before' })).body;
    expect(first.meta.proofs[0].signer).toBeUndefined();
    const factor = { handle: 'second', signer: 'alice', schema: 'key-pair', ...pair(key) };
    await stored(here.as(key), 'signer-factor', factor);
    const next = ok(await other.create('/wallets', { handle: 'after' })).body;
    expect(next.meta.proofs[0].signer).toBe('alice');
  });

  it("know who has the key of a factor now: not who had it, and not where the signer's own came after", async () => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'create', record: 'wallet', signer: { handle: 'alice' } },
      { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'alice' } } },
    ]);
    await registered(founder, 'alice');
    await stored(founder, 'wallet', { handle: 'w' });
    const key = newKey();
    const other = there(founder, key);
    await stored(founder, 'signer-factor', { handle: 'second', signer: 'alice', schema: 'key-pair', ...pair(key) });
    expect(outcome(await other.get('/wallets/w', bearer(key)))).toBe('200');
    expect(outcome(await other.create('/wallets', { handle: 'one' }))).toBe('201');
    // Bob shows that the key is his: he signs his own record with it, beside who may make it.
    const body = signed({ handle: 'bob', ...pair(key) }, founder.key);
    body.meta.proofs.push(proofOver(body.hash, key));
    ok(await founder.call('POST', '/signers', body));
    expect(outcome(await other.get('/wallets/w', bearer(key)))).toBe('403 Cannot read wallet.');
    expect(outcome(await other.create('/wallets', { handle: 'two' }))).toBe('403 Cannot create wallet.');
  });

  it.each(['inactive', 'blocked'])('take a signer that is %s there for nobody, and back', async (status) => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'alice' } } },
      { action: 'create', record: 'wallet', signer: { handle: 'alice' } },
    ]);
    const key = await registered(founder, 'alice');
    await stored(founder, 'wallet', { handle: 'w' });
    let made = 0;
    const asking = async () => {
      made += 1;
      const other = there(founder, key);
      return [
        outcome(await other.get('/wallets/w', bearer(key))),
        outcome(await other.create('/wallets', { handle: `w-${made}` })),
      ];
    };
    const granted = ['200', '201'];
    expect(await asking()).toEqual(granted);
    const signer: RecordEnvelope = ok(await founder.get('/signers/alice', bearer(founder.key))).body;
    await statusSet(founder, '/signers/alice', signer, status);
    expect(await asking()).toEqual(['403 Cannot read wallet.', '403 Cannot create wallet.']);
    await statusSet(founder, '/signers/alice', signer, 'active');
    expect(await asking()).toEqual(granted);
  });

  it.each(['inactive', 'blocked'])('take a factor that is %s there for nobody', async (status) => {
    const founder = await founded(servers.current[0].url, [
      GATE,
      { action: 'read', record: 'wallet', bearer: { $signer: { handle: 'alice' } } },
    ]);
    await registered(founder, 'alice');
    await stored(founder, 'wallet', { handle: 'w' });
    const key = newKey();
    const data = { handle: 'second', signer: 'alice', schema: 'key-pair', ...pair(key) };
    const factor = await stored(founder, 'signer-factor', data);
    const reading = async () => outcome(await there(founder).get('/wallets/w', bearer(key)));
    expect(await reading()).toBe('200');
    await statusSet(founder, '/signers/alice/factors/second', factor, status);
    expect(await reading()).toBe('403 Cannot read wallet.');
  });

  /** Runs `work` with a connection of its own in a transaction that has begun. */
  async function holding(
    work: (
      held: pg.PoolClient,
      pool: pg.Pool,
      released: (how?: 'commit' | 'rollback') => Promise<unknown>,
    ) => Promise<void>,
  ): Promise<void> {
    const pool = createPool({ connectionString: servers.databaseUrl }, () => {});
    const held = await pool.connect();
    try {
      await held.query('begin');
      await work(held, pool, (how = 'commit') => held.query(how));
    } finally {
      held.release(true);
      await pool.end();
    }
  }
});
