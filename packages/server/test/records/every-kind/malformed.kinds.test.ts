import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../../src/auth/native-suite.js';
import type { KindName } from '../../../src/kinds/kind.js';
import { expectRefusal } from '../../support/checks.js';
import { dropOf, newKey, proofOver, signed, updateOf } from '../../support/client.js';
import { testedKinds } from '../../support/kinds.js';
import {
  changed,
  createBody,
  everyRequestOn,
  make,
  requestsOn,
  type Scene,
  type Sent,
  seen,
  setScene,
  withSecret,
} from '../../support/scene.js';
import { withServer } from '../../support/server.js';
import { dataFaults, envelopeFaults, type Fault, OTHER_HASH } from './faults.js';

/** Sends each fault; none may be answered otherwise than told, and nothing may be stored. */
async function expectAllRefused(scene: Scene, { method, path }: Sent, faults: readonly Fault[]): Promise<void> {
  const before = await seen(scene);
  const client = path === '/ledgers' ? scene.maker : scene.client;
  const answers = await Promise.all(faults.map(({ body }) => client.call(method, path, body)));
  faults.forEach(({ fault, reason, detail }, index) => {
    const answer = answers[index]!;
    const told = `${fault}: ${answer.text}`;
    expect(answer.body?.data?.reason, told).toBe(reason);
    expectRefusal(answer, client, reason, detail);
    if (reason === 'record.schema-invalid') expectErrorsListed(answer.body.data.custom, told);
  });
  expect(await seen(scene)).toEqual(before);
}

/** Each error has the specification's five members, and the two of the recorded form (interface/errors#schema-errors). */
function expectErrorsListed(custom: { errors: JsonObject[] }, told: string): void {
  expect(custom?.errors?.length, told).toBeGreaterThan(0);
  for (const error of custom.errors) {
    expect(Object.keys(error)).toEqual([
      'instancePath',
      'schemaPath',
      'keyword',
      'params',
      'message',
      'path',
      'errorCode',
    ]);
    expect(error.errorCode).toBe(`${error.keyword}.openapi.validation`);
    expect(String(error.path).startsWith(`/body${error.instancePath}`)).toBe(true);
  }
}

const server = withServer();

describe.each(testedKinds)('a malformed request about a $name is refused and stores nothing', (kind) => {
  const { name } = kind;

  it('when it is a create', async () => {
    const scene = await setScene(server.current.url, name);
    await make(scene);
    const fresh = { ...scene, data: another(scene) };
    const faults = [...envelopeFaults(createBody(fresh), scene.maker.key, false), ...dataFaults(fresh)];
    await expectAllRefused(scene, { operation: 'create', method: 'POST', path: scene.collection }, faults);
  });

  if (kind.lifecycle.operations.includes('update'))
    it('when it is an update', async () => {
      const scene = await setScene(server.current.url, name);
      const record = await make(scene);
      const data = changed(scene.data);
      const body = withSecret(updateOf(record, data, scene.client.key), scene.secret);
      const luid = `$${kind.prefix}.-${'x'.repeat(16)}`;
      const faults: Fault[] = [
        ...envelopeFaults(body, scene.client.key, false),
        ...dataFaults({ ...scene, data }, record.hash),
        { fault: 'another luid', body: { ...body, luid }, ...ANOTHER_LUID },
        { fault: 'a stale parent', body: updateOf({ ...record, hash: OTHER_HASH }, data, scene.client.key), ...STALE },
      ];
      await expectAllRefused(scene, { operation: 'update', method: 'PUT', path: scene.path }, faults);
    });

  if (kind.lifecycle.operations.includes('drop'))
    it('when it is a drop, in either form', async () => {
      const scene = await setScene(server.current.url, name);
      const record = await make(scene);
      const { key } = scene.client;
      const body = dropOf(record, key);
      const drop = (data: JsonObject) => signed(data, key, { status: 'dropped' }, { luid: record.luid });
      const invalid = (detail: string) => ({
        reason: 'record.schema-invalid' as const,
        detail: `Schema validation error: request/body/data ${detail}`,
      });
      const faults: Fault[] = [
        ...envelopeFaults(body, key, true),
        { fault: 'another luid', body: { ...body, luid: `$${kind.prefix}.-${'x'.repeat(16)}` }, ...ANOTHER_LUID },
        { fault: 'a stale parent', body: dropOf({ ...record, hash: OTHER_HASH }, key), ...STALE },
        { fault: 'no parent', body: drop({}), ...invalid("must have required property 'parent'") },
        {
          fault: 'more data',
          body: drop({ parent: record.hash, handle: 'x' }),
          ...invalid('must NOT have additional properties'),
        },
      ];
      await expectAllRefused(scene, { operation: 'drop', method: 'DELETE', path: scene.path }, faults);
      await expectAllRefused(scene, { operation: 'drop', method: 'POST', path: `${scene.path}/drop` }, faults);
    });

  if (kind.lifecycle.operations.includes('proof'))
    it('when it is a proof', async () => {
      const scene = await setScene(server.current.url, name);
      const record = await make(scene);
      const { key } = scene.client;
      const proof = proofOver(record.hash, key, { note: 'seen' });
      const forged = {
        reason: 'crypto.signature-invalid',
        detail: `Invalid signature for key: ${key.public}`,
      } as const;
      const faults: Fault[] = [
        { fault: 'over another hash', body: proofOver(OTHER_HASH, key), ...forged },
        { fault: 'altered in custom', body: { ...proof, custom: { ...proof.custom, note: 'not seen' } }, ...forged },
        { fault: 'without its custom', body: { ...proof, custom: undefined }, ...forged },
        { fault: 'with another digest', body: { ...proof, digest: OTHER_HASH }, ...forged },
        {
          fault: 'with another result',
          body: { ...proof, result: proofOver(record.hash, newKey()).result },
          ...forged,
        },
        { fault: 'no JSON', body: '{', reason: 'api.body-malformed', detail: /./ },
        {
          fault: 'custom of another type',
          body: { ...proof, custom: [] },
          reason: 'record.schema-invalid',
          detail: 'Schema validation error: request/body/custom must be object',
        },
        {
          fault: 'no body',
          body: undefined,
          reason: 'record.schema-invalid',
          detail:
            'Schema validation error: request/body must be object, sent as JSON with content-type: application/json',
        },
      ];
      for (const end of ['/proofs', ...(kind.lifecycle.proofAliases ?? [])]) {
        await expectAllRefused(scene, { operation: 'proof', method: 'POST', path: scene.path + end }, faults);
      }
    });

  if (kind.lifecycle.operations.includes('check'))
    it('when it is an access check', async () => {
      const scene = await setScene(server.current.url, name);
      await make(scene);
      const { key } = scene.client;
      const invalid = (detail: string) => ({
        reason: 'record.schema-invalid' as const,
        detail: `Schema validation error: request/body/data ${detail}`,
      });
      const faults: Fault[] = [
        ...envelopeFaults(signed({ action: 'read' }, key), key, false),
        {
          fault: 'no action',
          body: signed({ record: 'any' }, key),
          ...invalid("must have required property 'action'"),
        },
        {
          fault: 'more data',
          body: signed({ action: 'read', more: 1 }, key),
          ...invalid('must NOT have additional properties'),
        },
      ];
      const path = `${scene.path}/access/!check`;
      await expectAllRefused(scene, { operation: 'check', method: 'POST', path }, faults);
    });

  if (kind.name !== 'ledger')
    it('when it is about a record that is not there', async () => {
      const scene = await setScene(server.current.url, name);
      const { client, path } = scene;
      const hash = hashOf({}, native);
      const ghost = { hash, data: {}, luid: `$${kind.prefix}.-${'x'.repeat(16)}`, meta: {} } as RecordEnvelope;
      const before = await client.get(scene.collection);
      const paths = ['ghost', ghost.luid, `%24${ghost.luid.slice(1)}`].map((id) => path.replace(/[^/]+$/, id));
      for (const sent of paths.flatMap((one) => requestsOn(scene, ghost, one))) {
        const answer = await client.call(sent.method, sent.path, sent.body);
        expect(answer.status, `${sent.method} ${sent.path}: ${answer.text}`).toBe(404);
        expectRefusal(answer, client, 'record.not-found', `${MISSING[name] ?? kind.title} not found`);
      }
      expect((await client.get(scene.collection)).body.data).toEqual(before.body.data);
    });

  it('when the kind does not serve the operation', async () => {
    const scene = await setScene(server.current.url, name);
    const record = await make(scene);
    const before = await seen(scene);
    const unserved = everyRequestOn(scene, record).filter(
      ({ operation }) => !kind.lifecycle.operations.includes(operation),
    );
    for (const { method, path, body } of unserved) {
      const answer = await scene.client.call(method, path, body);
      expectRefusal(answer, scene.client, 'api.route-not-found', 'Route not found');
    }
    expect(await seen(scene)).toEqual(before);
  });

  if (kind.links.relations)
    it('when a record that data names is not there', async () => {
      const scene = await setScene(server.current.url, name, { shape: 'full' });
      await make(scene);
      const before = await seen(scene);
      for (const [member, detail] of RELATIONS[name] ?? []) {
        const data: JsonObject = { ...another(scene), [member]: 'ghost' };
        const collection =
          kind.links.under?.member === member
            ? scene.collection.replace(/[^/]+(?=\/[^/]+$)/, 'ghost')
            : scene.collection;
        const answer = await scene.client.call('POST', collection, createBody({ ...scene, data }));
        expectRefusal(answer, scene.client, 'record.relation-not-found', detail);
        if (!kind.lifecycle.operations.includes('update') || kind.links.under?.member === member) continue;
        const { body: record } = await scene.client.get(scene.path);
        const updated = withSecret(
          updateOf(record, { ...scene.data, [member]: 'ghost' }, scene.client.key),
          scene.secret,
        );
        expectRefusal(
          await scene.client.call('PUT', scene.path, updated),
          scene.client,
          'record.relation-not-found',
          detail,
        );
      }
      expect(RELATIONS[name]?.length).toBe(kind.links.relations?.(scene.data).length);
      expect(await seen(scene)).toEqual(before);
    });
});

const ANOTHER_LUID = {
  reason: 'record.invalid',
  detail: 'Luid in the request does not match the luid of the record',
} as const;

const STALE = {
  reason: 'crypto.parent-hash-invalid',
  detail: "Hash verification failed, hashes don't match",
} as const;

/**
 * As errors name what is missing, where it is not the kind's title (interface/signers#factors,
 * interface/circles#members).
 */
const MISSING: Partial<Record<KindName, string>> = {
  'signer-factor': 'Signerfactor',
  'circle-signer': 'Circle signer',
};

/** Members that name a record, and what is said when it is not there (interface/errors#details). */
const RELATIONS: Partial<Record<KindName, readonly (readonly [member: string, detail: string])[]>> = {
  anchor: [['wallet', "Cannot find anchor wallet 'ghost'"]],
  wallet: [['bridge', 'Referenced Bridge ghost not found.']],
  'signer-factor': [['signer', 'Referenced Signer ghost not found.']],
  'circle-signer': [['signer', 'Referenced Signer ghost not found.']],
};

/** Data of a second record of the kind, beside the scene's. */
function another({ kind, data, handle }: Scene): JsonObject {
  return kind.name === 'circle-signer' ? changed(data) : { ...data, handle: `${handle}-2` };
}
