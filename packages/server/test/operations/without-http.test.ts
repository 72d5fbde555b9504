import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { stages } from '../../src/forwarding/stage.js';
import { kindNamed } from '../../src/kinds/registry.js';
import type { Ledger } from '../../src/ledgers/ledger.js';
import type { Service } from '../../src/ledgers/service.js';
import { openOwnSession, openSession, type Session } from '../../src/ledgers/session.js';
import { createRecord } from '../../src/operations/create/create.js';
import { dropRecord } from '../../src/operations/drop.js';
import type { Operation } from '../../src/operations/operation.js';
import { proveRecord } from '../../src/operations/prove.js';
import { updateRecord } from '../../src/operations/update.js';
import type { Command } from '../../src/records/command.js';
import { newLedger, type TestClient } from '../support/client.js';
import { withOwnServer } from '../support/server.js';

const wallet = kindNamed('wallet');

describe('the ledger itself, without a request', () => {
  const server = withOwnServer();
  let client: TestClient;
  let service: Service;
  let ledger: Ledger;

  beforeAll(async () => {
    service = server.current.server.service;
    client = await newLedger(server.current.url, { access: [{ action: 'read', record: 'any' }] });
    ledger = await service.ledgers.resolve(client.ledger ?? '');
  });

  const signed = (data: JsonObject, custom: JsonObject = {}): JsonObject => {
    const hash = hashOf(data, service.suite);
    const said = { moment: new Date().toISOString(), ...custom };
    return { hash, data, meta: { proofs: [ledger.system.sign(hash, said) as unknown as JsonObject] } };
  };

  const perform = async (session: Session, { perform }: Operation, body: JsonObject, id?: string) => {
    const command: Command = {
      params: id === undefined ? {} : { id },
      query: '',
      body,
      token: undefined,
      request: { method: 'POST', url: '/', headers: {} },
    };
    const answer = await perform(session, wallet, command, stages);
    return { ...answer, record: answer.body === undefined ? undefined : (JSON.parse(answer.body) as RecordEnvelope) };
  };

  it('creates, updates, proves and drops a record by the operations of clients', async () => {
    const own = openOwnSession(service, ledger);
    const body = signed({ handle: 'w' });
    const created = await perform(own, createRecord, body);
    expect(created.status).toBe(201);
    // Sent again, as by a worker whose process died: it is the same record.
    expect(await perform(own, createRecord, body)).toMatchObject({ status: 200, body: created.body });
    expect(created.record?.meta).toMatchObject({ status: 'created', owners: [ledger.system.public] });
    const made = created.record!;

    const data = { handle: 'w', custom: { by: 'the ledger' }, parent: made.hash };
    const updated = await perform(own, updateRecord, { ...signed(data), luid: made.luid }, 'w');
    expect(updated.record?.data).toMatchObject({ custom: { by: 'the ledger' } });

    const proof = ledger.system.sign(updated.record!.hash, { moment: new Date().toISOString(), status: 'closed' });
    const proved = await perform(own, proveRecord, proof as unknown as JsonObject, 'w');
    expect(proved.record?.meta.status).toBe('closed');
    expect(proved.record?.meta.proofs.at(-1)).toMatchObject({ signer: 'system', custom: { status: 'closed' } });

    const dropped = await perform(
      own,
      dropRecord,
      { ...signed({ parent: proved.record!.hash }), luid: made.luid },
      'w',
    );
    expect(dropped.status).toBe(204);
    const history = await client.get(`/wallets/${made.luid}/changes`);
    expect(history.body.data.map((change: { meta: { action: string } }) => change.meta.action)).toEqual([
      'drop',
      'update',
      'update',
      'create',
    ]);
  });

  it('is held to everything but the rules', async () => {
    const own = openOwnSession(service, ledger);
    const bad = { ...signed({ handle: 'x' }), hash: 'a'.repeat(64) };
    await expect(perform(own, createRecord, bad)).rejects.toMatchObject({ reason: 'crypto.hash-invalid' });
    const unknown = signed({ handle: 'x', bridge: 'none' });
    await expect(perform(own, createRecord, unknown)).rejects.toMatchObject({ reason: 'record.relation-not-found' });
  });

  it('is nobody in what a client sends', async () => {
    const session = openSession(service, ledger);
    await expect(perform(session, createRecord, signed({ handle: 'y' }))).rejects.toMatchObject({
      reason: 'crypto.signature-missing',
    });
    expect((await client.call('POST', '/wallets', signed({ handle: 'y' }))).status).toBe(422);
  });
});
