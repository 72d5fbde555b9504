import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleOf, lacksChromium, sees, withBrowser } from '../../../console/test/support/chromium.js';
import { layConsole, makeConsole } from '../../../console/test/support/console-of-copy.js';
import { recordNames } from '../../src/kinds/registry.js';
import { newKey, newLedger, signed, type TestClient } from '../support/client.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type Copy, withKind } from './one-kind-more.js';

/** The whole of a new kind: what is given to a signer for a number of points. */
const BADGE = `
import { Type } from 'typebox';
import { strictObject, common, Handle, handlesOf } from './data.js';
import type { KindDeclaration } from './declaration.js';

const GOLD = { properties: { points: { minimum: 1 } } };

export const badge: KindDeclaration = {
  name: 'badge',
  about: 'What is given to a signer for a number of points.',
  title: 'Badge',
  missing: 'Badge',
  prefix: 'bdg',
  path: 'badges',
  data: {
    shape: strictObject({ handle: Handle, signer: Handle, points: Type.Optional(Type.Integer()), ...common }),
    order: ['handle', 'signer', 'points', 'schema', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['badge-created', 'badge-updated', 'badge-proofs-added', 'badge-dropped'],
    initialStatus: 'given',
    statuses: ['given', 'worn'],
  },
  links: {
    value: ({ signer }) => String(signer),
    relations: ({ signer }) => [
      { kind: 'signer', handle: String(signer), missing: \`Referenced Signer \${signer} not found.\` },
    ],
    renamable: false,
  },
  access: {
    bumpsRules: 'never',
    ownProofs: true,
    conditions: {
      'badge.canReadSigner': {
        quantifier: 'every',
        action: 'read',
        kind: 'signer',
        addresses: ({ signer }) => handlesOf([signer]),
      },
    },
  },
  filters: { data: ['signer', 'points'], access: { data: '^points$' } },
  birth: { schemas: [{ handle: 'gold', schema: GOLD, description: 'What gold badges have' }] },
};
`;

/** Milliseconds for what compiles and bundles, on a machine that does other things as well. */
const PATIENCE = 600_000;

let copy: Copy;
let running: RunningServer;
const browser = withBrowser();

beforeAll(async () => {
  copy = await withKind('badge', BADGE);
  if (!lacksChromium) await layConsole(copy.folder);
  running = await startServer({ consoleServers: [] }, copy.openServer);
}, PATIENCE);

afterAll(async () => {
  await running?.stop();
  await copy?.remove();
});

/** A client of an open ledger with a signer to give badges to. */
async function open(options: Parameters<typeof newLedger>[1] = {}): Promise<TestClient> {
  const client = await newLedger(running.url, options);
  await addSigner(client, 'ada');
  return client;
}

async function addSigner(client: TestClient, handle: string, more: JsonObject = {}): Promise<void> {
  ok(await client.create('/signers', { handle, public: newKey().public, format: 'ed25519-raw', ...more }));
}

/** Every ledger is born with a schema for badges, so that each badge names one. */
function badge(data: JsonObject): JsonObject {
  return { signer: 'ada', schema: 'gold', points: 1, ...data };
}

async function make(client: TestClient, data: JsonObject): Promise<RecordEnvelope> {
  return ok(await client.create('/badges', badge(data))).body;
}

describe('a kind of one file and one line', () => {
  it('goes through the whole lifecycle', async () => {
    const client = await open();
    const made = await client.create('/badges', badge({ handle: 'b' }));
    expect(made.status).toBe(201);
    expect(made.body.luid).toMatch(/^\$bdg\./);
    expect(made.body.meta.status).toBe('given');
    expect(made.body.meta.proofs.at(-1).custom.status).toBe('given');

    expect((await client.get('/badges/b')).text).toBe(made.text);
    const updated = ok(await client.update('/badges/b', made.body, badge({ handle: 'b', points: 5 })));
    expect(Object.keys(updated.body.data)).toEqual(['parent', 'handle', 'signer', 'points', 'schema']);
    const proven = ok(await client.prove('/badges/b', updated.body, { status: 'worn' }));
    expect(proven.body.meta.status).toBe('worn');
    expect((await client.prove('/badges/b', proven.body, { status: 'eaten' })).status).toBe(422);

    ok(await client.drop('/badges/b', proven.body));
    expect((await client.get('/badges/b')).body.data.detail).toBe('Badge not found');
    const history = ok(await client.get(`/badges/${made.body.luid}/changes`)).body.data;
    expect(history.map(({ meta }: { meta: JsonObject }) => [meta.change, meta.action])).toEqual([
      [4, 'drop'],
      [3, 'update'],
      [2, 'update'],
      [1, 'create'],
    ]);
  });

  it('is listed by its filters', async () => {
    const client = await open();
    await make(client, { handle: 'low' });
    await make(client, { handle: 'high', points: 9 });
    const found = async (query: string) =>
      ok(await client.get(`/badges${query}`)).body.data.map(({ data }: RecordEnvelope) => data.handle);
    expect(await found('')).toEqual(['high', 'low']);
    expect(await found('?data.points=9')).toEqual(['high']);
    expect(await found('?data.signer=ada&data.points.$in[0]=1')).toEqual(['low']);
    expect((await client.get('/badges?data.weight=1')).body.data.reason).toBe('api.query-malformed');
  });

  it('is refused in its own words', async () => {
    const client = await open();
    await make(client, { handle: 'b' });
    const detail = async (data: JsonObject) => (await client.create('/badges', badge(data))).body.data.detail;
    expect(await detail({ handle: 'b', points: 2 })).toBe('Badge with handle b already exists.');
    expect(await detail({ handle: 'c', signer: 'ghost' })).toBe('Referenced Signer ghost not found.');
    expect(await detail({ handle: 'c', weight: 1 })).toContain('must NOT have unevaluated properties');
    expect(await detail({ handle: 'c', points: 0 })).toContain('must be >= 1');
    expect(await detail({ handle: 'c', schema: 'tin' })).toBe('Schema tin not found for record of type badge.');
  });

  it('is a name in access rules, signals, schemas and checks', async () => {
    const client = await open();
    const allowed = async (path: string, data: JsonObject) => {
      const { errors } = (await client.create(path, data)).body.data.custom;
      return errors.find(({ params }: { params: JsonObject }) => params.allowedValues).params.allowedValues;
    };
    const rules = [{ action: 'read', record: 'badgers' }];
    const [anchor, anchorProof, any, ...others] = recordNames.records;
    expect(await allowed('/symbols', { handle: 's', factor: 1, access: rules })).toEqual([
      ...[anchor, anchorProof, any],
      ...['badge', 'badge-proof'],
      ...others,
    ]);
    const effect = { handle: 'e', signal: 'badge-eaten', action: { schema: 'webhook', endpoint: 'https://x.org' } };
    expect(await allowed('/effects', effect)).toEqual(
      expect.arrayContaining(['badge-created', 'badge-updated', 'badge-proofs-added', 'badge-dropped']),
    );
    expect(await allowed('/schemas', { handle: 's', format: 'json-schema', record: 'x', schema: {} })).toContain(
      'badge',
    );
    const check = signed({ action: 'create', record: 'badge-proof' }, client.key);
    expect(ok(await client.call('POST', '/ledger/access/!check', check)).body.data).toHaveLength(1);
  });

  it('is granted and withheld by rules about it', async () => {
    const access = [
      { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
      { action: 'access', record: 'ledger', signer: {} },
      { action: 'update', record: 'badge', signer: {} },
      { action: 'read', record: 'badge' },
    ];
    const client = await open({ access });
    const made = await make(client, { handle: 'b' });
    const other = client.as(newKey());
    expect((await other.get('/badges/b')).status).toBe(200);
    expect((await other.create('/badges', badge({ handle: 'c' }))).body.data.detail).toBe('Cannot create badge.');
    const updated = ok(await other.update('/badges/b', made, badge({ handle: 'b', points: 2 }))).body;
    // The kind says that the right to update does not allow proofs.
    const proven = await other.prove('/badges/b', updated, { status: 'worn' });
    expect(proven.body.data.detail).toBe('Missing permissions');
  });

  it('is told apart by the conditions and filters of access policies', async () => {
    const access = [{ action: 'any', record: 'any', signer: { $ledger: 'owner' } }, { policy: 'p' }];
    const client = await open({ access });
    await addSigner(client, 'bob', { access: [{ action: 'read' }] });
    const policy = (handle: string, value: JsonObject) =>
      client.create('/policies', {
        handle,
        schema: 'access',
        values: [{ action: 'read', record: 'badge', ...value }],
      });
    ok(await policy('p', { invoke: 'badge.canReadSigner', filter: { points: 1 } }));
    expect((await policy('q', { filter: { weight: 1 } })).body.data.detail).toContain('"^points$"');
    await make(client, { handle: 'of-ada' });
    await make(client, { handle: 'of-bob', signer: 'bob' });
    await make(client, { handle: 'great', signer: 'bob', points: 9 });
    const shown = async (handle: string) => (await client.get(`/badges/${handle}`)).status;
    expect([await shown('of-ada'), await shown('of-bob'), await shown('great')]).toEqual([401, 200, 401]);
  });

  it.skipIf(lacksChromium)(
    'is browsed, made, proven and read in the console, whose sources do not know it',
    { timeout: PATIENCE },
    async () => {
      await makeConsole(copy.folder, await (await fetch(`${running.url}/openapi.json`)).text());
      const client = await open();
      for (const points of [1, 5]) await make(client, { handle: `of-${points}`, points });
      const page = await browser.page();
      await page.goto(`${consoleOf(running.url)}#/l/${client.ledger}`);
      await page.getByRole('navigation', { name: 'Records' }).getByRole('link', { name: 'Badges' }).click();
      await sees(page, '2 records, each checked here');
      expect(await page.getByRole('columnheader').allTextContents()).toEqual(
        expect.arrayContaining(['signer', 'points']),
      );
      // A filter that the interface has for the kind alone.
      await page.getByText('Build a filter').click();
      await page.getByLabel('Member').selectOption('data.points');
      await page.getByLabel('Value').fill('5');
      await page.keyboard.press('Enter');
      await sees(page, '1 record, each checked here');

      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('New key').click();
      await page.getByLabel('Name').fill('browser');
      await page.getByRole('button', { name: 'Make the key' }).click();
      await sees(page, 'key browser');
      await page.getByRole('link', { name: 'New badge' }).click();
      await page.getByLabel('handle').fill('great');
      await page.getByLabel('signer').fill('ada');
      await page.getByLabel('schema').selectOption('gold');
      await page.getByLabel('points').fill('0');
      const sign = async (button: string) => {
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('button', { name: 'Sign and send' }).click();
      };
      await sign('Create it');
      await sees(page, 'record.schema-invalid');
      await page.getByLabel('points').fill('7');
      await sign('Create it');
      await sees(page, 'Done, and checked here: 2 proofs hold.');
      await page.getByRole('link', { name: 'Open the record' }).click();
      await page.getByRole('heading', { name: /^great / }).waitFor();
      await sees(page, 'Checked here');
      await page.getByRole('navigation', { name: 'Actions' }).getByRole('link', { name: 'Add a proof' }).click();
      await page.getByLabel('Status').fill('worn');
      await sign('Add the proof');
      await sees(page, 'Done, and checked here');
      const { data, meta } = ok(await client.get('/badges/great')).body;
      expect([data.points, meta.status]).toEqual([7, 'worn']);
      expect(browser.faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
    },
  );

  it('stands in the OpenAPI description', async () => {
    const { paths, tags, components } = (await (await fetch(`${running.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
      tags: { name: string; description: string }[];
      components: { schemas: Record<string, unknown> };
    };
    expect(Object.keys(paths).filter((path) => path.startsWith('/badges'))).toHaveLength(9);
    expect(paths['/badges']?.post?.operationId).toBe('createBadge');
    expect(tags.find(({ name }) => name === 'Badge')?.description).toContain('badge-created');
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['badge', 'badge-data', 'badge-list']));
  });
});
