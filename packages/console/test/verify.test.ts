import type { Signed } from '@countersign/client';
import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, proofOver } from '../../server/test/support/client.js';
import { judge } from '../src/verify/judge.js';

const system = newKey();
const ada = newKey();

/** A record as a ledger with the key `system` would sign it, or a liar who has it. */
function version(data: JsonObject, customs: readonly JsonObject[], meta: JsonObject = {}, luid = '$wlt.1'): Signed {
  const hash = hashOf(data);
  const proofs = customs.map((custom) => proofOver(hash, 'luid' in custom ? system : ada, custom));
  return { luid, hash, data, meta: { proofs, moment: '', owners: [], ...meta } } as unknown as Signed;
}

const created = [{ status: 'created' }, { luid: '$wlt.1', status: 'created' }];
const updated = [{}, { luid: '$wlt.1' }];

describe('the status of a record', () => {
  it.each([
    ['created', created, 'given'],
    ['active', created, 'false'],
    [undefined, created, 'false'],
    ['blocked', [...created, { status: 'blocked' }], 'given'],
    ['active', [...created, { status: 'blocked' }], 'false'],
    // It may have waited for a quorum.
    ['created', [...created, { status: 'blocked' }], 'open'],
    [undefined, [...created, { status: null }], 'given'],
    ['active', updated, 'open'],
    ['active', [...updated, { status: 'active' }], 'given'],
    ['created', [...created, { status: 'dropped' }, { luid: '$wlt.1', status: 'dropped' }], 'false'],
  ] as const)('is held to its proofs: %s', (status, customs, verdict) => {
    const found = judge(version({ handle: 'a' }, customs, status === undefined ? {} : { status }), system.public);
    expect([found.status, found.isFine]).toEqual([verdict, verdict !== 'false']);
  });
});

describe('the hash of a record', () => {
  it('is over all of its data, but for the domain of a subdomain, which the ledger adds', () => {
    for (const [luid, isHash] of [
      ['$wlt.1', false],
      ['$dom.1', true],
    ] as const) {
      const record = version({ handle: 'a' }, [{}, { luid }], { domain: 'acme' }, luid);
      const shown = { ...record, data: { ...record.data, domain: 'acme' } };
      expect(judge(shown as Signed, system.public).isHash).toBe(isHash);
    }
  });
});
