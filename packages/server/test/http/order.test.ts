import { hash as hashOf, type JsonObject, type Reason, type RecordEnvelope } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newKey, newLedger, proofOver, type TestAnswer, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { Description } from './description.js';
import { expectRefusal, storedChanges, systemKey } from './refusal.js';

/** A step of interface/records#order-of-checks, and how a request that is wrong there is answered. */
interface Step {
  readonly fault: string;
  readonly reason: Reason;
  readonly detail: string | RegExp;
}

const ROUTE: Step = { fault: 'route', reason: 'api.route-not-found', detail: 'Route not found' };
const REQUEST: readonly Step[] = [
  {
    fault: 'ledger',
    reason: 'api.route-not-found',
    detail: 'Server does not host requested ledger',
  },
  { fault: 'json', reason: 'api.body-malformed', detail: 'Malformed JSON body' },
  { fault: 'token', reason: 'auth.unauthorized', detail: 'Invalid token.' },
  { fault: 'request schema', reason: 'record.schema-invalid', detail: /^Schema validation error: request\/body/ },
  { fault: 'hash', reason: 'crypto.hash-invalid', detail: `Invalid record hash: ${'0'.repeat(64)}` },
];
const SIGNATURES: readonly Step[] = [
  { fault: 'proofs', reason: 'crypto.signature-missing', detail: 'Ledger mutations must be signed.' },
  { fault: 'signature', reason: 'crypto.signature-invalid', detail: /^Invalid signature for key: / },
];

const owner = newKey();
const stranger = newKey();
const OWNED = [{ action: 'access' }, { action: 'any', record: 'any', signer: { public: owner.public } }];

describe('the order of checks (interface/records#order-of-checks)', () => {
  const server = withServer();
  let described: Description;
  let client: TestClient;
  let system: string;

  beforeAll(async () => {
    described = await Description.of(server.current.url);
    client = await newLedger(server.current.url, { key: owner, access: OWNED });
    system = await systemKey(client);
  });

  /** Sends a request with these faults: those about the request are made here, those about the record by `data`. */
  function send(
    method: string,
    path: string,
    faults: ReadonlySet<string>,
    sent: { data: JsonObject; more?: JsonObject },
  ) {
    const data = faults.has('request schema') ? { ...sent.data, unknown: true } : sent.data;
    const hash = faults.has('hash') ? '0'.repeat(64) : hashOf(data, native);
    const signedHash = faults.has('signature') ? 'f'.repeat(64) : hash;
    const proofs = faults.has('proofs') ? [] : [proofOver(signedHash, faults.has('access') ? stranger : owner)];
    const text = JSON.stringify({ ...sent.more, hash, data, meta: { proofs } });
    return client
      .in(faults.has('ledger') ? 'nobody' : client.ledger!)
      .call(method, faults.has('route') ? `/nothing${path}` : path, faults.has('json') ? text.slice(1) : text, {
        ...(faults.has('token') ? { authorization: 'Bearer x' } : {}),
      });
  }

  /** Each step alone, with the next one, and with all that follow, is answered with its own error; nothing is stored. */
  async function expectOrder(
    steps: readonly Step[],
    attempt: (faults: ReadonlySet<string>) => { method: string; path: string; answer: Promise<TestAnswer> },
  ): Promise<void> {
    const stored = await storedChanges(server.current);
    for (const [index, step] of steps.entries()) {
      const { fault, reason, detail } = step;
      for (const last of new Set([index + 1, index + 2, steps.length])) {
        const faults = steps.slice(index, last).map((one) => one.fault);
        const { method, path, answer } = attempt(new Set(faults));
        expectRefusal(await answer, { reason, detail, signedBy: faults.includes('ledger') ? null : system });
        if (fault !== 'route') {
          const { status, body } = await answer;
          expect(described.answerErrors(method, path, status, body), faults.join()).toBeUndefined();
        }
      }
    }
    expect(await storedChanges(server.current)).toBe(stored);
    const { answer } = attempt(new Set());
    expect((await answer).status, (await answer).text).toBeLessThan(300);
  }

  it('holds for an update', async () => {
    const { body: wallet } = await client.create('/wallets', { handle: 'w' });
    const steps: readonly Step[] = [
      ROUTE,
      ...REQUEST,
      ...SIGNATURES,
      { fault: 'record', reason: 'record.not-found', detail: 'Wallet not found' },
      { fault: 'access', reason: 'auth.forbidden', detail: 'Cannot update wallet.' },
      { fault: 'parent', reason: 'crypto.parent-hash-invalid', detail: "Hash verification failed, hashes don't match" },
      {
        fault: 'schema',
        reason: 'record.relation-not-found',
        detail: 'Schema nobody not found for record of type wallet.',
      },
      { fault: 'relation', reason: 'record.relation-not-found', detail: 'Referenced Bridge nobody not found.' },
      { fault: 'duplicate', reason: 'record.duplicated', detail: 'Wallet with handle taken already exists.' },
    ];
    await client.create('/wallets', { handle: 'taken' });
    await expectOrder(steps, (faults) => {
      const path = `/wallets/${faults.has('record') ? 'nobody' : 'w'}`;
      const data = {
        handle: faults.has('duplicate') ? 'taken' : 'w',
        parent: faults.has('parent') ? 'f'.repeat(64) : wallet.hash,
        ...(faults.has('schema') ? { schema: 'nobody' } : {}),
        ...(faults.has('relation') ? { bridge: 'nobody' } : {}),
      };
      return { method: 'PUT', path, answer: send('PUT', path, faults, { data }) };
    });
  });

  it('holds for a create', async () => {
    const bridge = (handle: string, server = 'http://127.0.0.1:9') => ({
      handle,
      schema: 'rest',
      config: { server },
      secure: [],
    });
    // Made while there is no domain for them to be in.
    for (const handle of ['b', 'b@nobody']) await client.create('/bridges', bridge(handle));
    await client.create('/domains', { handle: 'acme' });
    const steps: readonly Step[] = [
      ROUTE,
      ...REQUEST,
      ...SIGNATURES,
      { fault: 'access', reason: 'auth.forbidden', detail: 'Cannot create bridge.' },
      { fault: 'schema', reason: 'record.relation-not-found', detail: 'Referenced Schema nobody not found.' },
      {
        fault: 'relation',
        reason: 'record.relation-not-found',
        detail: /^Trying to set a domain which doesn't exist "nobody" to the record/,
      },
      {
        fault: 'kind rule',
        reason: 'record.schema-invalid',
        detail: 'Schema validation error: request/body/data/config/server must match format "uri"',
      },
      { fault: 'duplicate', reason: 'record.duplicated', detail: /^Bridge with handle b(@nobody)? already exists\.$/ },
    ];
    await expectOrder(steps, (faults) => {
      const name = faults.has('duplicate') ? 'b' : 'new';
      const data = {
        ...bridge(faults.has('relation') ? `${name}@nobody` : name, faults.has('kind rule') ? 'nowhere' : undefined),
        ...(faults.has('schema') ? { schema: 'nobody' } : {}),
      };
      return { method: 'POST', path: '/bridges', answer: send('POST', '/bridges', faults, { data }) };
    });
  });

  it('tells data that does not match its schema before what it names is looked for', async () => {
    const schema = { type: 'object', required: ['custom'] };
    await client.create('/schemas', { handle: 'strict-symbol', record: 'symbol', format: 'json-schema', schema });
    await client.create('/schemas', { handle: 'strict', record: 'anchor', format: 'json-schema', schema });
    const data = { handle: 'a', target: 't', wallet: 'nobody' };
    expectRefusal(await client.create('/anchors', data), {
      reason: 'record.schema-invalid',
      detail: 'There are schemas defined for record of type anchor, you must specify at least one.',
      signedBy: system,
    });
  });

  it('holds for a drop', async () => {
    const { body: wallet } = await client.create('/wallets', { handle: 'anchored' });
    const { body: free } = await client.create('/wallets', { handle: 'free' });
    const other = await newLedger(server.current.url, { key: owner, access: OWNED });
    expect(other.ledger).not.toBe(client.ledger);
    await client.create('/anchors', { handle: 'an-1', target: 't', wallet: 'anchored', schema: 'strict', custom: {} });
    const steps: readonly Step[] = [
      ROUTE,
      ...REQUEST,
      ...SIGNATURES,
      { fault: 'record', reason: 'record.not-found', detail: 'Wallet not found' },
      { fault: 'access', reason: 'auth.forbidden', detail: 'Cannot drop wallet.' },
      { fault: 'parent', reason: 'crypto.parent-hash-invalid', detail: "Hash verification failed, hashes don't match" },
      { fault: 'luid', reason: 'record.invalid', detail: 'Luid in the request does not match the luid of the record' },
    ];
    const rejected: Step = {
      fault: 'dependants',
      reason: 'record.drop-rejected',
      detail: "Cannot drop wallet 'anchored' with anchors associated with it",
    };
    await expectOrder([...steps, rejected], (faults) => {
      const record: RecordEnvelope = faults.has('dependants') ? wallet : free;
      const path = `/wallets/${faults.has('record') ? 'nobody' : record.data.handle}`;
      const data = { parent: faults.has('parent') ? 'f'.repeat(64) : record.hash };
      const luid = faults.has('luid') ? '$wlt.-0123456789abcdef' : record.luid;
      return { method: 'DELETE', path, answer: send('DELETE', path, faults, { data, more: { luid } }) };
    });
  });

  it('holds for an access check, which needs no right', async () => {
    await client.create('/wallets', { handle: 'checked' });
    const record: Step = { fault: 'record', reason: 'record.not-found', detail: 'Wallet not found' };
    await expectOrder([ROUTE, ...REQUEST, ...SIGNATURES, record], (faults) => {
      const path = `/wallets/${faults.has('record') ? 'nobody' : 'checked'}/access/!check`;
      return { method: 'POST', path, answer: send('POST', path, faults, { data: { action: 'read' } }) };
    });
  });

  it('holds for a proof: the record comes first, as it is what is signed', async () => {
    const { body: report } = await client.create('/schemas', {
      handle: 'daily',
      record: 'report',
      format: 'json-schema',
      schema: {},
    });
    expect(report.luid).toBeDefined();
    const { body: made } = await client.create('/reports', { handle: 'r', schema: 'daily' });
    const values = ['pending', 'created'].map((status) => ({ quorum: [], status }));
    const policy = { handle: 'steps', schema: 'status', record: 'report', values };
    expect((await client.create('/policies', policy)).status).toBe(201);
    const steps: readonly Step[] = [
      ROUTE,
      ...REQUEST.slice(0, 4),
      { fault: 'record', reason: 'record.not-found', detail: 'Report not found' },
      SIGNATURES[1]!,
      { fault: 'access', reason: 'auth.forbidden', detail: 'Cannot create report-proof.' },
      {
        fault: 'status policy',
        reason: 'record.status-policy-violation',
        detail: 'Cannot set report status to settled. No values correspond to the target status.',
      },
    ];
    const proof = (faults: ReadonlySet<string>) => {
      const hash = faults.has('signature') ? 'f'.repeat(64) : made.hash;
      const status = faults.has('status policy') ? 'settled' : 'pending';
      const signed = proofOver(hash, faults.has('access') ? stranger : owner, { status });
      return faults.has('request schema') ? { ...signed, digest: 1 } : signed;
    };
    await expectOrder(steps, (faults) => {
      const path = `/reports/${faults.has('record') ? 'nobody' : 'r'}/proofs`;
      const text = JSON.stringify(proof(faults));
      const answer = client
        .in(faults.has('ledger') ? 'nobody' : client.ledger!)
        .call('POST', faults.has('route') ? `/nothing${path}` : path, faults.has('json') ? text.slice(1) : text, {
          ...(faults.has('token') ? { authorization: 'Bearer x' } : {}),
        });
      return { method: 'POST', path, answer };
    });
  });

  it('holds for reads: token, query, record, access', async () => {
    const bearer = { authorization: 'Bearer x' };
    const from = (path: string, headers?: Record<string, string>) => client.get(path, headers);
    const bad = '?data.handle.$foo=1';
    expectRefusal(await client.in('nobody').get(`/wallets${bad}`, bearer), {
      reason: 'api.route-not-found',
      detail: 'Server does not host requested ledger',
      signedBy: null,
    });
    expectRefusal(await from(`/wallets${bad}`, bearer), { reason: 'auth.unauthorized', signedBy: system });
    expectRefusal(await from(`/wallets${bad}`), {
      reason: 'api.query-malformed',
      detail: "Unsupported filters: 'data.handle.$foo'",
      signedBy: system,
    });
    expectRefusal(await from('/wallets/nobody', bearer), { reason: 'auth.unauthorized', signedBy: system });
    expectRefusal(await from('/wallets/nobody'), { reason: 'record.not-found', signedBy: system });
    expectRefusal(await from('/wallets/nobody/changes?page.index=x'), {
      reason: 'api.query-malformed',
      signedBy: system,
    });
    expectRefusal(await from('/wallets/nobody/changes/x'), {
      reason: 'record.schema-invalid',
      detail: 'Schema validation error: request/params/change must be integer >= 1',
      signedBy: system,
    });
    expectRefusal(await from('/wallets/checked'), { reason: 'auth.unauthorized', signedBy: system });
  });
});
