import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { openOwnSession, openSession, type Session } from '../../src/ledgers/session.js';
import { normalizeClaims } from '../../src/money/plan/claims.js';
import { createRecordCache, KnownRecords } from '../../src/money/plan/known-records.js';
import { callerOfIntent, isPermitted, permissionsOf } from '../../src/money/plan/permissions.js';
import { resolveIntent } from '../../src/money/plan/resolve.js';
import { provided, providerFactor, policy as providers, signer } from '../oauth/scene.js';
import { newKey, newLedger, proofOver, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { destroy, issue, limit, resolved, routes, transfer } from './directory.js';

/** Rules under which everyone may make records, and nobody may move money. */
const MAKE = { action: { $in: ['access', 'create', 'read', 'query'] }, record: 'any' };

const [founder, alice, bank] = [newKey(), newKey(), newKey()];
const by = (action: string, key: TestKey) => ({ action, signer: { public: key.public } });

describe('what an intent may do', () => {
  const server = withServer();
  let made = 0;

  /** A ledger where alice may spend from her wallets, and the bank issues dollars. */
  async function makeBank(...rules: JsonObject[]): Promise<TestClient> {
    const client = await newLedger(server.current.url, { key: founder, access: [MAKE, ...rules] });
    const access = [by('issue', bank), by('destroy', bank)];
    await stored(client, 'symbol', { handle: 'usd', factor: 100, access });
    const hers = [by('spend', alice), by('limit', alice)];
    await stored(client, 'wallet', { handle: 'alice', access: hers });
    await stored(client, 'wallet', { handle: 'bob', custom: { tier: 'gold' }, access: [by('spend', bank)] });
    await stored(client, 'wallet', { handle: 'via', access: hers, ...routes({ action: 'debit', target: 'bob' }) });
    const own = routes({ action: 'debit', target: 'alice' });
    await stored(client, 'wallet', { handle: 'other', access: [by('spend', bank)], ...own });
    return client;
  }

  let client: TestClient;
  beforeAll(async () => {
    client = await makeBank();
  });

  async function open(at: TestClient, isOwn = false): Promise<Session> {
    const { service } = server.current.server;
    const ledger = await service.ledgers.resolve(at.ledger ?? '');
    return isOwn ? openOwnSession(service, ledger) : openSession(service, ledger);
  }

  /** Whether the stored intent is permitted, in a client's session and in one of the ledger's own alike. */
  async function judge(at: TestClient, record: RecordEnvelope): Promise<boolean> {
    const sessions = [await open(at), await open(at, true)];
    const [one, other] = await Promise.all(
      sessions.map(async (session) => {
        const { runtime, task } = session;
        const resolution = resolved(
          await resolveIntent(
            record.data,
            new KnownRecords(createRecordCache()).directory(session),
            runtime.random,
            task,
          ),
        );
        const needed = permissionsOf(normalizeClaims(record.data), resolution);
        return isPermitted(session, await callerOfIntent(session, record), needed);
      }),
    );
    expect(one).toBe(other);
    return one!;
  }

  /** A new intent with these proofs, as it is stored. */
  async function create(
    at: TestClient,
    claims: JsonObject[],
    keys: TestKey[],
    more: { proofs?: (hash: string) => JsonObject[]; headers?: Record<string, string> } = {},
  ): Promise<RecordEnvelope> {
    made += 1;
    const data = { handle: `i-${made}`, claims };
    const hash = hashOf(data, native);
    const proofs = [...keys.map((key) => proofOver(hash, key, { status: 'created' })), ...(more.proofs?.(hash) ?? [])];
    const answer: TestAnswer = await at.call('POST', '/intents', { hash, data, meta: { proofs } }, more.headers);
    return ok(answer).body;
  }

  it.each<[title: string, JsonObject[], TestKey[], allowed: boolean]>([
    ['issue by the issuer', [issue('bob')], [bank], true],
    ['issue by another', [issue('alice')], [alice], false],
    ['transfer by who may spend', [transfer('alice', 'bob')], [alice], true],
    ['transfer from an address', [transfer('acc:1@alice', 'bob')], [alice], true],
    ["transfer from another's wallet to one's own", [transfer('bob', 'alice')], [alice], false],
    ['destroy by one who may spend only', [destroy('alice')], [alice], false],
    ['destroy by one who may destroy only', [destroy('alice')], [bank], false],
    ['destroy by both', [destroy('alice')], [alice, bank], true],
    ['destroy by one who may do both', [destroy('bob')], [bank], true],
    ['limit by who may', [limit('alice')], [alice], true],
    ['limit by who may spend only', [limit('bob')], [bank], false],
    ['every claim needs its own', [transfer('alice', 'bob'), issue('bob')], [alice], false],
    ['proofs add up', [transfer('alice', 'bob'), issue('bob')], [bank, alice], true],
    ['a debit route by who may spend from the first only', [transfer('via', 'alice')], [alice], false],
    ['a debit route by who may spend from the last only', [transfer('other', 'bob')], [alice], false],
    ['a debit route by who may spend from both', [transfer('via', 'alice')], [alice, bank], true],
    ['a destroy through a debit route by the bank', [destroy('via')], [bank], false],
    ['a destroy through a debit route by both', [destroy('via')], [bank, alice], true],
  ])('%s', async (_, claims, keys, allowed) => {
    expect(await judge(client, await create(client, claims, keys))).toBe(allowed);
  });

  it('asks for each right once', async () => {
    const session = await open(client);
    const data = {
      handle: 'x',
      claims: [transfer('via', 'bob'), destroy('via'), destroy('bob'), limit('acc:1@alice')],
    };
    const { runtime, task } = session;
    const resolution = resolved(
      await resolveIntent(data, new KnownRecords(createRecordCache()).directory(session), runtime.random, task),
    );
    const needed = permissionsOf(normalizeClaims(data), resolution);
    const named = needed.map(({ action, kind, on }) => `${action} ${kind} ${on.record.data.handle}`);
    expect(named).toEqual(['spend wallet via', 'spend wallet bob', 'destroy symbol usd', 'limit wallet alice']);
  });

  it('is not changed by later proofs', async () => {
    const record = await create(client, [transfer('alice', 'bob')], [bank]);
    expect(await judge(client, record)).toBe(false);
    const open = await makeBank({ action: 'create', record: 'intent-proof' });
    const waiting = await create(open, [transfer('alice', 'bob')], [bank]);
    const proved = ok(
      await open.as(alice).prove(`/intents/${waiting.data.handle}`, waiting, { status: 'created' }),
    ).body;
    expect(proved.meta.proofs.map((proof: { public: string }) => proof.public)).toContain(alice.public);
    expect(await judge(open, proved)).toBe(false);
    const permitted = await create(open, [transfer('alice', 'bob')], [alice]);
    const later = ok(await open.as(bank).prove(`/intents/${permitted.data.handle}`, permitted, {})).body;
    expect(await judge(open, later)).toBe(true);
  });

  it('is granted by rules of the ledger, of policies and of domains, too', async () => {
    const all = await makeBank({ action: 'any', record: 'any', signer: { public: founder.public } });
    const claims = [issue('alice'), transfer('bob', 'via'), destroy('via'), limit('other')];
    expect(await judge(all, await create(all, claims, [founder]))).toBe(true);
    expect(await judge(all, await create(all, claims, [alice]))).toBe(false);

    const referring = await makeBank({ policy: 'spenders' } as unknown as JsonObject);
    const values = [{ ...by('spend', founder), record: 'wallet', filter: { 'custom.tier': 'gold' } }];
    await stored(referring, 'policy', { handle: 'spenders', schema: 'access', values });
    expect(await judge(referring, await create(referring, [transfer('bob', 'alice')], [founder]))).toBe(true);
    expect(await judge(referring, await create(referring, [transfer('alice', 'bob')], [founder]))).toBe(false);

    await stored(all, 'domain', { handle: 'branch', access: [{ ...by('spend', bank), record: 'wallet' }] });
    await stored(all, 'wallet', { handle: 'till@branch' });
    expect(await judge(all, await create(all, [transfer('till@branch', 'bob')], [bank]))).toBe(true);
    expect(await judge(all, await create(all, [transfer('till@branch', 'bob')], [alice]))).toBe(false);
  });

  it("is nothing by the ledger's own keys, which have proofs on every intent", async () => {
    const own = { handle: { $in: ['system', 'auth', 'core', 'system.auth'] } };
    const rules = [{ action: 'spend', record: 'wallet', signer: own }];
    const at = await makeBank(...rules);
    expect(await judge(at, await create(at, [transfer('bob', 'alice')], [alice]))).toBe(false);
    const { ledger } = await open(at);
    const proofs = (hash: string) => [ledger.system, ledger.auth].map((key) => key.sign(hash) as unknown as JsonObject);
    expect(await judge(at, await create(at, [transfer('bob', 'alice')], [alice], { proofs }))).toBe(false);
  });

  describe('by a token', () => {
    const carol = newKey();
    const partial = () => [{ custom: { status: 'created' } }];
    let at: TestClient;

    beforeAll(async () => {
      const rules = [
        { action: 'spend', record: 'wallet', signer: { handle: 'carol' } },
        { action: 'issue', record: 'symbol', bearer: { role: 'teller' } },
      ];
      at = await makeBank(...(rules as JsonObject[]));
      await stored(at.as(carol), 'signer', {
        handle: 'carol',
        format: 'ed25519-raw',
        public: carol.public,
      });
      await signer(at.as(carol), 'prov');
      await providerFactor(at.as(carol));
      await providers(at.as(carol));
    });

    it('is what the signer that it stands for may do', async () => {
      const headers = bearer(carol);
      const record = await create(at, [transfer('bob', 'alice')], [], { proofs: partial, headers });
      expect(await judge(at, record)).toBe(true);
      const beside = await create(at, [transfer('bob', 'alice')], [alice], { headers });
      expect(await judge(at, beside)).toBe(true);
      expect(await judge(at, await create(at, [transfer('bob', 'alice')], [alice]))).toBe(false);
    });

    it('is what rules grant to its claims, where system.auth has signed them', async () => {
      const headers = provided({ sub: 'carol', role: 'teller' });
      expect(await judge(at, await create(at, [issue('bob')], [], { proofs: partial, headers }))).toBe(true);
      const said = { proofs: partial, headers: bearer(carol, { role: 'teller' }) };
      expect(await judge(at, await create(at, [issue('bob')], [], said))).toBe(false);
      expect(await judge(at, await create(at, [issue('bob')], [], { proofs: partial, headers: bearer(carol) }))).toBe(
        false,
      );
      // A token that stands for no signer leaves nothing in the record.
      const unknown = { headers: provided({ sub: 'nobody', role: 'teller' }) };
      expect(await judge(at, await create(at, [issue('bob')], [alice], unknown))).toBe(false);
    });

    it('is nothing by a proof of system.auth that a client sends', async () => {
      const { ledger } = await open(at);
      const said = {
        moment: new Date().toISOString(),
        status: 'created',
        'bearer.role': 'teller',
        'bearer.sub': 'carol',
      };
      const proofs = (hash: string) => [ledger.auth.sign(hash, said) as unknown as JsonObject];
      expect(await judge(at, await create(at, [issue('bob')], [alice], { proofs }))).toBe(false);
    });
  });
});
