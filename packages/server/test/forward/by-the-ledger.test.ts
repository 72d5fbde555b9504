import { hash as hashOf, type JsonObject, type Proof, type RecordEnvelope } from '@countersign/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { stages } from '../../src/forwarding/stage.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { openOwnSession } from '../../src/ledgers/session.js';
import { createRecord } from '../../src/operations/create/create.js';
import { dropRecord } from '../../src/operations/drop.js';
import type { Operation } from '../../src/operations/operation.js';
import { proveRecord } from '../../src/operations/prove.js';
import { updateRecord } from '../../src/operations/update.js';
import type { Answer } from '../../src/records/command.js';
import { systemKeyOf, type TestClient } from '../support/client.js';
import { withOwnServer } from '../support/server.js';
import { withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger, stored } from './scene.js';

const server = withOwnServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** Does an operation on anchors as the ledger itself, with its signature. */
async function perform(
  client: TestClient,
  { perform }: Operation,
  sign: (sign: (hash: string, custom?: JsonObject) => Proof) => JsonObject,
  id?: string,
): Promise<Answer> {
  const { service } = server.current.server;
  const ledger = await service.ledgers.resolve(client.ledger ?? '');
  const body = sign((hash, custom) => ledger.system.sign(hash, { moment: new Date().toISOString(), ...custom }));
  const params = id === undefined ? {} : { id };
  const command = { params, query: '', body, token: undefined, request: { method: 'POST', url: '/', headers: {} } };
  return perform(openOwnSession(service, ledger), kindNamed('anchor'), command, stages);
}

const signedBy = (sign: (hash: string) => Proof, data: JsonObject, luid?: string): JsonObject => {
  const hash = hashOf(data, server.current.server.service.suite);
  const proofs = [sign(hash) as unknown as JsonObject];
  return { hash, data, meta: { proofs }, ...(luid === undefined ? {} : { luid }) };
};

describe('an anchor that the ledger itself writes, and that a policy forwards', () => {
  it.each(['validate', 'synchronize', 'proxy'])('%s: is created, updated, proved and dropped', async (strategy) => {
    const values = ['create', 'update', 'sign', 'drop'].map((action) => aspect(action, strategy));
    const client = await forwardingLedger(server.current.url, bridge.url, values);
    const system = systemKeyOf(client);

    const created = await perform(client, createRecord, (sign) => signedBy(sign, anchor('a')));
    expect(created.status).toBe(201);
    expect(await stored(client, 'a')).toBe(strategy !== 'proxy');
    const record = JSON.parse(created.body ?? '') as RecordEnvelope;
    // Its signature and, of `synchronize`, its countersignature; and the one that tells the bridge what becomes of it.
    const publics = () => bridge.received.at(-1)?.body.meta.proofs.map((proof: Proof) => proof.public);
    const sent = Array.from({ length: strategy === 'synchronize' ? 3 : 2 }, () => system);
    expect(publics()).toEqual(sent);

    const data = { ...anchor('a', { target: 'b' }), parent: record.hash };
    const updated = await perform(client, updateRecord, (sign) => signedBy(sign, data, record.luid), 'a');
    expect(updated.status).toBe(200);
    expect(publics()).toEqual(sent);
    const { hash } = JSON.parse(updated.body ?? '') as RecordEnvelope;

    const prove = (sign: (hash: string) => Proof) => sign(hash) as unknown as JsonObject;
    expect((await perform(client, proveRecord, prove, 'a')).status).toBe(200);
    const drop = (sign: (hash: string) => Proof) => signedBy(sign, { parent: hash }, record.luid);
    expect((await perform(client, dropRecord, drop, 'a')).status).toBe(204);
    expect(bridge.received.map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST', 'DELETE']);
    expect(bridge.records.has('a')).toBe(false);
  });
});
