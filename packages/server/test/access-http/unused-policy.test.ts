import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it, vi } from 'vitest';
import { LedgerTask } from '../../src/metering/task.js';
import { workLimits } from '../../src/metering/work-limits.js';
import { newKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer, withServer } from '../support/server.js';
import { founded, GATE, readBy } from './support.js';

const server = withServer();
/** One on which not everybody may read the records of ledgers. */
const discreet = withOwnServer({ serverRules: [{ action: 'create', record: 'ledger', signer: {} }] });

const HINT =
  'No rule of the ledger or a domain refers to this policy, and none of the policies does. It counts where "access" has ' +
  '{"policy": "readers"}.';
const VALUES = [{ action: 'read', bearer: { $signer: {} } }];
const policy = (handle: string, more: JsonObject = {}): JsonObject => ({
  handle,
  schema: 'access',
  record: 'wallet',
  values: VALUES,
  ...more,
});

describe('an active access policy to which nothing refers', () => {
  it('is answered with a hint, by the proof that makes it active and by updates from then on', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const made: RecordEnvelope = await stored(founder, 'policy', policy('readers'));
    const noted = ok(await founder.prove('/policies/readers', made, {}));
    expect(noted.headers.get('x-hint')).toBeNull();
    const active = ok(await founder.prove('/policies/readers', made, { status: 'active' }));
    expect(active.headers.get('x-hint')).toBe(HINT);
    const changed = { ...policy('readers'), custom: { a: 1 } };
    const updated = ok(await founder.update('/policies/readers', active.body, changed));
    expect(updated.headers.get('x-hint')).toBe(HINT);
    const inactive = ok(await founder.prove('/policies/readers', updated.body, { status: 'inactive' }));
    expect(inactive.headers.get('x-hint')).toBeNull();
  });

  it.each<[by: string, access: JsonObject[], others: [path: string, data: JsonObject][]]>([
    ['a rule of the ledger', [{ policy: 'readers' }], []],
    ['a rule that names several', [{ policy: { $in: ['x', 'readers'] } }], []],
    ['a rule of a domain', [], [['/domains', { handle: 'd', access: [{ policy: 'readers' }] }]]],
    ['a policy that extends it', [], [['/policies', policy('more', { extend: ['readers'] })]]],
  ])('gets none once it is referred to by %s', async (_, access, others) => {
    const founder = await founded(server.current.url, [GATE, ...access]);
    for (const [path, data] of others) ok(await founder.create(path, data));
    const made = await stored(founder, 'policy', policy('readers'));
    const active = ok(await founder.prove('/policies/readers', made, { status: 'active' }));
    expect(active.headers.get('x-hint')).toBeNull();
  });

  it('gets none where policies count by themselves, nor does a policy of another schema', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const status = await stored(founder, 'policy', { handle: 's', schema: 'status', record: 'wallet', values: [] });
    expect(ok(await founder.prove('/policies/s', status, { status: 'active' })).headers.get('x-hint')).toBeNull();
    const made = await stored(founder, 'policy', policy('readers'));
    const ledger = ok(await founder.get('/ledger')).body;
    ok(await founder.update('/ledger', ledger, { ...ledger.data, config: { 'access.strategy': 'policy-based' } }));
    const active = ok(await founder.prove('/policies/readers', made, { status: 'active' }));
    expect(active.headers.get('x-hint')).toBeNull();
  });

  it.each<[who: string, rules: JsonObject[], isTold: boolean]>([
    ['may add proofs to policies only', [], false],
    ['may read the ledger', [{ action: 'read', record: 'ledger' }], true],
    ['may update policies', [{ action: 'update', record: 'policy' }], true],
  ])(
    'is told to who may read the rules or change the policy, and to no other: one who %s',
    async (_, rules, isTold) => {
      const founder = await founded(discreet.current.url, [
        GATE,
        { action: 'create', record: 'policy-proof' },
        ...rules,
      ]);
      const made = await stored(founder, 'policy', policy('readers'));
      const active = ok(await founder.as(newKey()).prove('/policies/readers', made, { status: 'active' }));
      expect(active.headers.get('x-hint')).toBe(isTold ? HINT : null);
    },
  );

  it('is stored without a hint where the request has no steps left to find one', async () => {
    const founder = await founded(server.current.url, [GATE]);
    const made = await stored(founder, 'policy', policy('readers'));
    const { spend } = LedgerTask.prototype;
    const spending = vi.spyOn(LedgerTask.prototype, 'spend').mockImplementation(function (this: LedgerTask, steps) {
      // What has used up its steps when it comes to the hint.
      if (new Error().stack?.includes('hintOnPolicy')) this.chargeUnbounded(workLimits.request);
      spend.call(this, steps);
    });
    try {
      const active = ok(await founder.prove('/policies/readers', made, { status: 'active' }));
      expect(active.headers.get('x-hint')).toBeNull();
    } finally {
      spending.mockRestore();
    }
    expect(ok(await readBy(founder, founder.key, '/policies/readers')).body.meta.status).toBe('active');
  });
});
