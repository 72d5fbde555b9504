import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../src/http/openapi/names.js';
import { recordRoutes } from '../../src/http/routes.js';
import { withServer } from '../support/server.js';
import { Description } from './description.js';

const server = withServer();
const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The types that users generate from the served description. */
async function generated(document: unknown): Promise<string> {
  const generator = spawn(process.execPath, [join(root, 'tools/openapi-types/generate.mjs')]);
  const ended = new Promise<number | null>((resolve) => generator.once('close', resolve));
  generator.stdin.end(JSON.stringify(document));
  const [types, errors] = await Promise.all([text(generator.stdout), text(generator.stderr)]);
  expect(await ended, errors).toBe(0);
  return types;
}

/** A program that reads what a client reads. A line that is marked as wrong must be refused. */
const PROGRAM = `
import type { components, operations, webhooks } from './types.js';

type Answer<Name extends keyof operations, Status extends number> = operations[Name]['responses'] extends {
  [Key in Status]: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;
type Sent<Name extends keyof operations> = NonNullable<operations[Name]['requestBody']> extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : never;
type Schemas = components['schemas'];

export function wallets(list: Answer<'listWallets', 200>): string[] {
  const index: number = list.page.index;
  const hash: string = list.hash;
  return list.data.map(({ data, luid, meta }) => {
    const digest: string = meta.proofs.map((proof) => proof.digest + proof.custom?.anything).join();
    const tier: unknown = data.custom?.tier;
    const parent: string | undefined = data.parent;
    // @ts-expect-error a wallet has no claims
    data.claims;
    // @ts-expect-error what is free is unknown, not anything
    data.custom?.tier.more;
    return [index, hash, digest, luid, data.handle, tier, parent, meta.moment, ...meta.owners].join();
  });
}

export function changes(list: Answer<'listIntentChanges', 200>): string {
  const total: number = list.page.total;
  const [last] = list.data;
  const action: 'create' | 'update' | 'drop' | 'erase' | undefined = last?.meta.action;
  const thread: string | undefined = last?.meta.thread;
  const labels: string[] | null | undefined = last?.meta.labels;
  return [total, action, thread, labels, ...(last?.data.claims ?? []).map((claim) => claim.action)].join();
}

export function refused({ data, meta }: Answer<'createWallet', 422> | Answer<'readWallet', 404>): string {
  const reason: Schemas['reason'] = data.reason;
  const more: unknown = data.custom?.anything;
  // @ts-expect-error no such reason
  if (data.reason === 'record.lost') return '';
  return [reason, data.detail, more, data.custom?.errors?.length, meta.proofs[0]?.result].join();
}

export function granted(rules: Answer<'checkWalletAccess', 200>): unknown[] {
  // @ts-expect-error it comes without a page
  rules.page;
  return rules.data.map(({ data }) => [data.action, data.record, data.filter]);
}

export function found({ data }: Answer<'lookupWalletAnchors', 200> | Answer<'readWalletAnchors', 200>): unknown[] {
  return data.map((one) => ('luid' in one ? one.luid + one.data.handle : one.data.handle));
}

export function logged({ data }: Answer<'readWalletInclusion', 200>, log: Answer<'readLedgerLog', 200>): string {
  const age: number = log.data.unsealed.age;
  // @ts-expect-error nothing is sealed before the first leaf
  log.data.checkpoint.length;
  return [data.origin, data.index + data.size, data.proof, age, log.meta.moment].join();
}

export const sought: Sent<'lookupWalletAnchors'> = { hash: '', data: { wallet: 'w', custom: { anything: 1 } } };

export function factor({ data, meta }: Answer<'readSignerFactor', 200>): string {
  if (data.schema === 'oauth-client-credentials' && 'clientId' in data) return data.clientId ?? '';
  if (data.schema === 'key-pair' && 'secret' in data) return data.secret ?? meta.secret?.name ?? '';
  // @ts-expect-error reports have them
  return meta.assets;
}

export function subdomain({ data, meta }: Answer<'readDomain', 200>): boolean {
  return data.domain === meta.domain;
}

export const wallet: Sent<'createWallet'> = {
  hash: '',
  data: { handle: 'w', custom: { anything: [1, { at: null }] }, access: [{ action: 'any', signer: { public: 'k' } }] },
  meta: {
    proofs: [
      { method: '', public: '', digest: '', result: '', custom: { moment: '', anything: 1 } },
      { custom: { status: 'created' } },
    ],
  },
};

export const moved: Sent<'updateDomain'> = {
  hash: '',
  luid: '',
  // An update names the version that it replaces, and may send back what it has read.
  data: { handle: 'd', parent: '', domain: 'p' },
};

export const intent: Sent<'createIntent'> = {
  hash: '',
  data: {
    handle: 'i',
    claims: [
      { action: 'issue', target: 'ada', symbol: 'usd', amount: 1 },
      { action: 'transfer', source: { handle: 'ada', custom: { note: 1 } }, target: 'bob', symbol: { handle: 'usd' }, amount: 1 },
      { action: 'limit', wallet: 'ada', symbol: 'usd', metric: 'dailyCount', amount: 5 },
    ],
    config: { commit: 'manual' },
  },
};

export function claimed({ data }: Answer<'readIntent', 200>): unknown[] {
  return data.claims.map((claim) => {
    // @ts-expect-error a limit has none
    claim.target;
    if (claim.action === 'limit') return [claim.metric, claim.wallet];
    const target = claim.action === 'destroy' ? claim.source : claim.target;
    return typeof target === 'string' ? target : target.handle;
  });
}

export function balances({ data, page }: Answer<'listWalletBalances', 200>): unknown[] {
  const kept: 'available' | 'reserved' | undefined = data[0]?.data.schema;
  return [kept, page.total, data[0]?.data.amount.toFixed()];
}

export function happened({ data }: Schemas['event']): string {
  if (data.signal === 'wallet-created') return data.wallet.data.handle;
  if (data.signal === 'wallet-proofs-added') return data.wallet + data.proofs[0]?.digest;
  if (data.signal === 'effect-dropped') return data.parent.data.handle;
  if (data.signal === 'balance-received') return data.symbol.data.handle + data.amount.toFixed();
  // @ts-expect-error nothing raises it
  if (data.signal === 'policy-dropped') return '';
  return data.handle;
}

export function asked({ data }: webhooks['prepareBridgeDebit']['post']['requestBody']['content']['application/json']): string {
  return data.inputs.join() + data.amount.toFixed() + data.intent.meta.thread;
}

export function answered(reason: operations['readWallet']['responses'][404]['content']['application/json']['data']['reason']): string {
  const some: 'api.route-not-found' | 'record.not-found' = reason;
  return some;
}

export const ledger: Sent<'createLedger'> = {
  hash: '',
  data: { handle: 'l', config: { 'access.strategy': 'policy-based', 'x.own': { anything: 1 } } },
};

export const otp: Schemas['signer-factor-data'] = { handle: 'f', signer: 's', schema: 'otp', public: 'k', format: 'x' };

// @ts-expect-error no parent
export const orphan: Sent<'updateWallet'> = { hash: '', data: { handle: 'w' } };
// @ts-expect-error no such status
export const report: Sent<'addReportProof'> = { method: '', public: '', digest: '', result: '', custom: { status: 'lost' } };
`;

/** What records have, and what others in lists have in its place, by the end of the operation's name. */
const PROOFS = 'meta.proofs.map((proof) => proof.result).join()';
const OF_RECORDS = `${PROOFS} + meta.owners.join() + data.custom?.x`;
const OF_DELIVERIES = `${PROOFS} + meta.status + meta.replay + JSON.stringify(meta.output?.data) + data.linked + data.record + data.bridge`;
const OF_OTHERS: readonly (readonly [RegExp, string])[] = [
  [/Events?$/, OF_DELIVERIES],
  [/Balances$/, 'data.parent + data.wallet + data.symbol + data.schema + data.amount.toFixed()'],
  [/Limits$/, `${PROOFS} + data.wallet + data.symbol + data.metric + data.amount.toFixed()`],
];

/** Reads every list, and every record alone, so that none of them is `unknown`. */
function readsOf(described: Description): string {
  const lookups = recordRoutes().filter(({ of }) => of === 'address');
  const others = new Set(lookups.map(operationId));
  const reads = described.operations().filter(({ operation, path, method }) => {
    if (others.has(operation.operationId)) return false;
    if (method !== 'get' || path === '/' || path.endsWith('/{asset}')) return false;
    if (path.endsWith('/inclusion') || path.startsWith('/ledger/log')) return false;
    // Entries of the journal are no records.
    if (path.startsWith('/system/requests')) return false;
    return operation.responses[200] && !['Log', 'Server'].includes(operation.tags[0]!);
  });
  const lines = reads.map(({ operation: { operationId } }) => {
    const body = `operations['${operationId}']['responses'][200]['content']['application/json']`;
    const one = operationId.startsWith('list') ? `${body}['data'][number]` : body;
    const members = OF_OTHERS.find(([end]) => end.test(operationId))?.[1] ?? OF_RECORDS;
    return [
      `export const ${operationId}: (one: ${one}) => string = ({ hash, luid, meta, data }) =>`,
      `  hash + luid + meta.moment + ${members};`,
    ].join('\n');
  });
  return [`import type { operations } from './types.js';`, ...lines].join('\n');
}

describe('the types that are generated from the description', () => {
  let folder: string;
  let described: Description;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
    described = await Description.of(server.current.url);
    await writeFile(join(folder, 'types.ts'), await generated(described.document));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What the compiler has to say about a program that uses them. */
  async function faults(program: string): Promise<string> {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'program.ts'), program);
    const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), ...options, join(folder, 'program.ts')];
    const { stdout } = await promisify(execFile)(process.execPath, compiler).catch((failed) => failed);
    return stdout;
  }

  it('are what a client reads and sends', { timeout: 120_000 }, async () => {
    expect(await faults(PROGRAM)).toBe('');
  });

  it('know the members of every record, alone and in lists', { timeout: 120_000 }, async () => {
    const reads = readsOf(described);
    expect(reads.match(/export const/g)?.length).toBeGreaterThan(55);
    expect(await faults(reads)).toBe('');
    expect(await faults(reads.replace('hash + luid', 'hash + lost'))).toMatch(/Property 'lost' does not exist|'lost'/);
  });
});
