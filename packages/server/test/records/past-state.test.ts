import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { callerOfRead, callerOfWrite } from '../../src/authorization/caller.js';
import { conditionsOf } from '../../src/authorization/conditions.js';
import { subjectOf } from '../../src/authorization/context.js';
import { findBridge } from '../../src/bridges/bridge.js';
import { stages } from '../../src/forwarding/stage.js';
import { kindNamed } from '../../src/kinds/registry.js';
import type { Ledger } from '../../src/ledgers/ledger.js';
import type { Service } from '../../src/ledgers/service.js';
import { OutOfDate, openSession, type Session } from '../../src/ledgers/session.js';
import { answerList } from '../../src/operations/list.js';
import { listChanges } from '../../src/operations/list-changes.js';
import { answerRead } from '../../src/operations/read.js';
import { readChange } from '../../src/operations/read-change.js';
import type { Command } from '../../src/records/command.js';
import { checkUserSchema, findRelations } from '../../src/records/data-rules.js';
import { getRecord } from '../../src/records/stored-record.js';
import { newLedger, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

/**
 * A process holds the state of a ledger; then the ledger changes. Whatever is found from there on tells so, before anything
 * is decided on what is found and on rules that are older: each look by itself, as none knows of the others.
 */
describe('on a state that has passed', () => {
  const server = withOwnServer();
  let client: TestClient;
  let service: Service;
  let past: Ledger;
  /** Of a record that is dropped. */
  let gone: string;

  beforeAll(async () => {
    service = server.current.server.service;
    client = await newLedger(server.current.url);
    await stored(client, 'signer', { handle: 's', public: client.key.public, format: 'ed25519-raw' });
    await stored(client, 'circle', { handle: 'c' });
    await stored(client, 'wallet', { handle: 'w' });
    const bridge = { handle: 'b', schema: 'rest', config: { server: 'https://bridge.example' }, secure: [] };
    await stored(client, 'bridge', bridge);
    const dropped = await stored(client, 'wallet', { handle: 'gone' });
    ok(await client.drop('/wallets/gone', dropped));
    gone = dropped.luid;
    const content = { handle: 'tier', record: 'symbol', format: 'json-schema', schema: { type: 'object' } };
    await stored(client, 'schema', content);
    const invoke = ['intent.canSpendEveryClaimWallet', 'intent.canReadAnyClaimWalletInThread'];
    const values = invoke.map((name) => ({ action: 'read', invoke: name }));
    await stored(client, 'policy', { handle: 'p', schema: 'access', record: 'intent', values });
    const held = await service.ledgers.resolve(client.ledger!);
    past = await service.ledgers.renew(held, await service.store.ledgers.version(held.id));
    const record = (await client.get('/ledger')).body;
    const access = [{ action: 'any', record: 'any', signer: { public: client.key.public } }];
    ok(await client.update('/ledger', record, { handle: client.ledger!, signer: 'system', access }));
  });

  /** A session on that state, which knows no signer yet. */
  const session = (): Session => openSession(service, { ...past });

  const asking = (params: Command['params'] = {}): Command => ({
    params,
    query: '',
    body: undefined,
    token: undefined,
    request: { method: 'GET', url: '/', headers: {} },
  });

  const token = () => ({ kind: 'self-signed-token', key: client.key.public, claims: {} }) as const;

  const claim: JsonObject = { action: 'transfer', source: 'w', target: 'v', symbol: 's', amount: 1 };
  const intent = (claims: JsonObject[], meta: JsonObject) =>
    subjectOf(kindNamed('intent'), {
      ...{ hash: '', luid: '', data: { handle: 'i', claims } },
      meta: { proofs: [], moment: '', owners: [], ...meta },
    });

  it.each<[string, () => Promise<unknown>]>([
    ['the caller of a read', () => callerOfRead(session(), token())],
    ['the caller of a write', () => callerOfWrite(session(), [client.key], undefined)],
    ['the record of a path', () => getRecord(session(), kindNamed('wallet'), asking({ id: 'w' }))],
    ['what a record names', () => findRelations(session(), kindNamed('circle-signer'), { circle: 'c', signer: 's' })],
    ['the content of a schema', () => checkUserSchema(session(), kindNamed('symbol'), { schema: 'tier' }, undefined)],
    ['the wallets of a condition', () => conditionsOf(session(), { proofs: [] }, intent([claim], {}))],
    ['the thread of a condition', () => conditionsOf(session(), { proofs: [] }, intent([], { thread: 't' }))],
    ['a bridge', () => findBridge(session(), 'b')],
  ])('%s is not found', async (_, look) => {
    await expect(look()).rejects.toBeInstanceOf(OutOfDate);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a record', () => answerRead(session(), kindNamed('wallet'), asking({ id: 'w' }), stages)],
    ['a list', () => answerList(session(), kindNamed('wallet'), asking(), stages)],
    ['a history', () => listChanges(session(), kindNamed('wallet'), asking({ id: 'w' }))],
    ['a version', () => readChange(session(), kindNamed('wallet'), asking({ id: 'w', change: '1' }))],
    ['a history of what was dropped', () => listChanges(session(), kindNamed('wallet'), asking({ id: gone }))],
    ['a version of it', () => readChange(session(), kindNamed('wallet'), asking({ id: gone, change: '1' }))],
  ])('%s is shown to nobody who may not see it any more', async (_, show) => {
    await expect(show()).rejects.toMatchObject({ reason: 'auth.unauthorized' });
  });
});
