import type { Signed } from '@countersign/client';
import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, proofOver } from '../../server/test/support/client.js';
import { isSameVersion, judgeVersions } from '../src/verify/history.js';
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

describe('the history of a record', () => {
  const luid = '$wlt.-AAAAAAAAAAAAAAAA';
  const moment = '2026-11-27T00:00:00.000Z';
  const owners = [ada.public];
  /** As a ledger lists it. */
  const listed = (change: number, data: JsonObject, customs: readonly JsonObject[], meta: JsonObject = {}): Signed => {
    const made = version(data, customs, { moment, owners, status: 'created', labels: null, ...meta }, luid);
    return { ...made, meta: { ...made.meta, change, action: change === 1 ? 'create' : 'update', ...meta } } as Signed;
  };
  const byClient = { moment, status: 'created' };
  const first = listed(1, { handle: 'a' }, [byClient, { luid, moment, status: 'created' }]);
  const second = listed(2, { handle: 'a', custom: { n: 1 }, parent: first.hash }, [{ moment }, { luid, moment }]);
  const proved = (over: Signed, change: number, status: string, kept = over.meta.proofs): Signed => ({
    ...over,
    meta: {
      ...over.meta,
      ...{ change, status },
      proofs: [...kept, proofOver(over.hash, ada, { moment, status })],
    } as Signed['meta'],
  });
  const third = proved(second, 3, 'active');
  const fourth = proved(third, 4, 'blocked');
  const judged = (...versions: readonly Signed[]) => judgeVersions('wallet', versions, false, system.public);
  const renumbered = (one: Signed, change: number, meta: JsonObject = {}): Signed =>
    ({ ...one, meta: { ...one.meta, change, ...meta } }) as Signed;

  it('is whole where each version follows from the one before, also where one comes twice', () => {
    expect(judged(fourth, third, second, first).findings).toEqual([]);
    const { isWhole, versions } = judged(fourth, third, third, second, first);
    expect([isWhole, versions]).toEqual([true, [fourth, third, second, first]]);
    expect(judgeVersions('wallet', [fourth, third], true, system.public)).toMatchObject({
      isWhole: false,
      findings: [],
    });
  });

  it.each<[string, readonly Signed[]]>([
    ['lacks its first version', [renumbered(second, 1, { action: 'create' })]],
    ['lacks its first version, which its number says', [third, second]],
    ['lacks a version between two', [fourth, second, first]],
    ['lacks a version between two, renumbered', [renumbered(fourth, 3), second, first]],
    [
      'lacks a proof that a version before has',
      [proved(third, 4, 'blocked', second.meta.proofs), third, second, first],
    ],
    ['hides a change behind an erasure', [renumbered(second, 2, { action: 'erase' }), first]],
    ['has a status that no proof gives', [renumbered(third, 3, { status: 'closed' }), second, first]],
  ])('is none that %s', (_, versions) => {
    expect(judged(...versions).isWhole).toBe(false);
    expect(judged(...versions).findings).not.toEqual([]);
  });

  it('is compared by what a version says, and not by what a list adds', () => {
    const { change: _, action: __, labels: ___, ...meta } = second.meta as unknown as JsonObject;
    expect(isSameVersion({ ...second, meta } as unknown as Signed, second)).toBe(true);
    for (const other of [third, renumbered(second, 2, { status: 'blocked' })])
      expect(isSameVersion(second, other)).toBe(false);
  });
});
