import type { JsonObject } from '@countersign/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { outcome } from '../access-http/support.js';
import { expectRefusal } from '../support/checks.js';
import { newKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { bridgeData, createIn, type Divided, divided, effectData, factorData, schemaFor, signerData } from './scene.js';

const server = withServer();

let scene: Divided;

const claims = [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }];

/** Data of each kind that has a handle and may be made in a domain. */
const DATA: Partial<Record<KindName, (handle: string) => JsonObject>> = {
  anchor: (handle) => ({ handle, wallet: 'till@sales', target: 'x' }),
  bridge: bridgeData,
  circle: (handle) => ({ handle }),
  effect: effectData,
  intent: (handle) => ({ handle, claims }),
  policy: (handle) => ({ handle, schema: 'access', record: 'wallet', values: [] }),
  report: (handle) => ({ handle, schema: 'daily' }),
  schema: (handle) => schemaFor('anchor-lookup', handle),
  signer: (handle) => signerData(handle),
  'signer-factor': (handle) => factorData(handle, 'clerk@sales'),
  symbol: (handle) => ({ handle, factor: 1 }),
  wallet: (handle) => ({ handle }),
};

const FREE: readonly KindName[] = ['anchor', 'effect', 'intent', 'report', 'wallet'];

beforeAll(async () => {
  scene = await divided(server.current.url);
  const { founder } = scene;
  await stored(founder, 'wallet', { handle: 'till@sales' });
  await stored(founder, 'signer', signerData('clerk@sales'));
  await stored(founder, 'schema', schemaFor('report', 'daily'));
});

describe('the name of a new record (docs/interface/domains.md)', () => {
  it('is looked at for every kind that may be made in a domain', () => {
    const named = kinds.map(({ name }) => name).filter((name) => !['ledger', 'domain', 'circle-signer'].includes(name));
    expect(Object.keys(DATA).sort()).toEqual(named.sort());
    expect(
      kinds
        .filter(({ access: { freeNames } }) => freeNames)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...FREE]);
  });

  it.each(Object.keys(DATA) as KindName[])(
    '%s: one outside a domain is not for who has rights in it only',
    async (name) => {
      const { admin, founder } = scene;
      const kind = kindNamed(name);
      const path = kind.links.under ? '/signers/clerk@sales/factors' : `/${kind.path}`;
      const data = DATA[name]!;
      const refused = `403 Cannot create ${name}.`;
      const make = async (handle: string) => outcome(await createIn(admin, path, 'sales', data(handle)));

      expect(outcome(await admin.create(path, data(`${name}@sales`)))).toBe('201');
      expect(await make(`${name}@bank`)).toBe(refused);
      // A domain that may come to be is another's as well.
      expect(await make(`${name}@finance`)).toBe(refused);
      expect(await make(`${name}@eu@bank`)).toBe(refused);
      expect(await make(`${name}@other@sales`)).toBe('201');
      expect(await make(name)).toBe(FREE.includes(name) ? '201' : refused);
      // Who has the right in both places may have both.
      expect(outcome(await createIn(founder, path, 'sales', data(`${name}-2@bank`)))).toBe('201');
    },
  );

  it('below a domain is for who has rights below only', async () => {
    const { admin, founder } = scene;
    const clerk = newKey();
    const record = (await founder.get('/domains/eu@sales', bearer(founder.key))).body;
    const access = [{ action: 'create', record: 'any', signer: { public: clerk.public } }];
    ok(await founder.update('/domains/eu@sales', record, { handle: 'eu@sales', access }));
    const below = founder.as(clerk);
    const make = async (handle: string) => outcome(await createIn(below, '/signers', 'eu@sales', signerData(handle)));
    expect(await make('a@eu@sales')).toBe('201');
    expect(await make('a@sales')).toBe('403 Cannot create signer.');
    expect(await make('a')).toBe('403 Cannot create signer.');
    expect(outcome(await createIn(admin, '/signers', 'eu@sales', signerData('b@sales')))).toBe('201');
  });
});

describe('a new name for a record', () => {
  it.each<[name: KindName, path: string, data: (handle: string) => JsonObject]>([
    ['wallet', '/wallets', (handle) => ({ handle })],
    ['anchor', '/anchors', (handle) => ({ handle, wallet: 'till@sales', target: 'x' })],
    ['policy', '/policies', (handle) => ({ handle, schema: 'access', record: 'wallet', values: [] })],
  ])('is not for a %s', async (name, path, data) => {
    const { admin, founder } = scene;
    const record = ok(await admin.create(path, data(`fixed-${name}@sales`))).body;
    for (const handle of [`treasury-${name}@bank`, `treasury-${name}`, `other-${name}@sales`]) {
      for (const client of [admin, founder]) {
        const answer = await client.update(`${path}/fixed-${name}@sales`, record, data(handle));
        const detail = `Cannot change handle of ${name} 'fixed-${name}@sales'`;
        expectRefusal(answer, client, 'record.update-rejected', detail);
      }
    }
  });

  it('is judged as a create under it, and names no other domain', async () => {
    const { founder } = scene;
    const record = ok(await founder.create('/effects', effectData('old@sales'))).body;
    const clerk = newKey();
    const may = (actions: string[]): JsonObject => ({
      action: { $in: actions },
      record: 'effect',
      signer: { public: clerk.public },
    });
    const below = founder.as(clerk);
    const domain = (await founder.get('/domains/sales', bearer(founder.key))).body;
    const { parent: _, ...data } = domain.data;
    const grant = async (actions: string[], from: typeof domain) =>
      ok(await founder.update('/domains/sales', from, { ...data, access: [...data.access, may(actions)] })).body;
    const first = await grant(['update'], domain);
    const rename = (handle: string) => below.update('/effects/old@sales', record, effectData(handle));
    expect(outcome(await rename('new@sales'))).toBe('403 Cannot create effect.');
    await grant(['update', 'create'], first);
    expect(outcome(await rename('new@bank'))).toBe('403 Cannot create effect.');
    const answer = await founder.update('/effects/old@sales', record, effectData('new@bank'));
    const detail = "Cannot change handle of effect 'old@sales' to one of domain 'bank'";
    expectRefusal(answer, founder, 'record.update-rejected', detail);
    expect(outcome(await rename('new@sales'))).toBe('200');
  });
});

describe('an update that makes another record of one', () => {
  type Row = [name: KindName, path: string, before: JsonObject, after: JsonObject, harmless: JsonObject];

  it.each<Row>([
    [
      'policy',
      '/policies',
      { schema: 'labels', values: [] },
      { schema: 'access', record: 'wallet', values: [{ action: 'any' }] },
      { schema: 'labels', values: [{}] },
    ],
    [
      'policy',
      '/policies',
      { schema: 'access', record: 'wallet', values: [] },
      { schema: 'access', record: 'any', values: [] },
      { schema: 'access', record: 'wallet', values: [{ action: 'read' }] },
    ],
    [
      'schema',
      '/schemas',
      { record: 'anchor-lookup', format: 'json-schema', schema: {} },
      { record: 'intent', format: 'json-schema', schema: {} },
      { record: 'anchor-lookup', format: 'json-schema', schema: { type: 'object' } },
    ],
    [
      'effect',
      '/effects',
      { signal: 'wallet-created', action: { endpoint: 'https://example.com' } },
      { signal: 'signer-created', action: { endpoint: 'https://example.com' } },
      { signal: 'wallet-created', action: { endpoint: 'https://example.com/hook' } },
    ],
    [
      'signer-factor',
      '/signers/boss/factors',
      { signer: 'boss', schema: 'otp' },
      factorData('', 'boss'),
      { signer: 'boss', schema: 'otp', custom: { a: 1 } },
    ],
  ])('needs the right to create a %s (%s %j)', async (name, path, before, after, harmless) => {
    const { founder } = scene;
    const updater = founder.as(newKey());
    const handle = `essence-${updater.key.public.slice(0, 8).replaceAll(/[^A-Za-z0-9]/g, '.')}`;
    const access = [{ action: 'update', signer: { public: updater.key.public } }];
    const record = await stored(founder, name, { ...before, handle, access });
    const change = (to: JsonObject) => updater.update(`${path}/${handle}`, record, { ...to, handle, access });
    expect(outcome(await change(after))).toBe(`403 Cannot create ${name}.`);
    expect(outcome(await change(harmless))).toBe('200');
  });

  it('needs it for the schema of a signer, by which rules name signers', async () => {
    const { founder } = await divided(server.current.url);
    await stored(founder, 'schema', schemaFor('signer', 'guest'));
    await stored(founder, 'schema', schemaFor('signer', 'auditor'));
    const own = newKey();
    const access = [{ action: 'update', signer: { $record: 'owner' } }];
    const data = { handle: 'guest-1', public: own.public, format: 'ed25519-raw', schema: 'guest', access };
    const record = ok(await founder.create('/signers', data)).body;
    const guest = founder.as(own);
    expect(outcome(await guest.update('/signers/guest-1', record, data))).toBe('403 Cannot update signer.');
    const rules = [{ action: 'update', signer: { handle: 'guest-1' } }];
    const opened = ok(await founder.update('/signers/guest-1', record, { ...data, access: rules })).body;
    const raised = await guest.update('/signers/guest-1', opened, { ...data, access: rules, schema: 'auditor' });
    expect(outcome(raised)).toBe('403 Cannot create signer.');
    const renewed = await guest.update('/signers/guest-1', opened, { ...data, access: rules, custom: { a: 1 } });
    expect(outcome(renewed)).toBe('200');
  });

  it('cannot be used to bring a policy under a name that rules wait for', async () => {
    const { founder } = await divided(server.current.url, [{ policy: 'later' }]);
    const mallory = founder.as(newKey());
    const access = [{ action: 'update', signer: { public: mallory.key.public } }];
    const data = { schema: 'access', record: 'any', values: [{ action: 'any', record: 'any' }], access };
    const record = await stored(founder, 'policy', { ...data, handle: 'mine', values: [] });
    const answer = await mallory.update('/policies/mine', record, { ...data, handle: 'later' });
    expectRefusal(answer, mallory, 'record.update-rejected', "Cannot change handle of policy 'mine'");
    expect(outcome(await mallory.create('/wallets', { handle: 'w' }))).toBe('403 Cannot create wallet.');
  });
});
