import {
  canonical,
  digest,
  hash,
  type Json,
  type JsonObject,
  type Proof,
  REASONS,
  type Reason,
  verifyProof,
} from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { accessLimits } from '../src/access/access-limits.js';
import { filterLimits } from '../src/access/filter-limits.js';
import { RULE_ACTIONS } from '../src/access/rules.js';
import { tokenLimits } from '../src/auth/token-limits.js';
import { handleLimits } from '../src/base/handle.js';
import { jsonLimits } from '../src/base/json-limits.js';
import { tokenLifetime } from '../src/base/token-lifetime.js';
import { bodyLimits } from '../src/http/bodies/body-limits.js';
import { requestLimits } from '../src/http/request-limits.js';
import { bridgeLimits } from '../src/kinds/bridge.js';
import { dataLimits } from '../src/kinds/data.js';
import { intentLimits } from '../src/kinds/intent.js';
import { audienceLimits } from '../src/kinds/ledger.js';
import { policyLimits, scheduleLimits } from '../src/kinds/policies/policy-limits.js';
import { kindNamed, kinds, recordNames } from '../src/kinds/registry.js';
import { assetLimits } from '../src/kinds/reports/asset-limits.js';
import { routeLimits } from '../src/kinds/wallet.js';
import { stateLimits } from '../src/ledgers/state-limits.js';
import { filterableMembers } from '../src/lists/filters.js';
import { listLimits } from '../src/lists/list-limits.js';
import { logLimits } from '../src/log/log-limits.js';
import { workLimits } from '../src/metering/work-limits.js';
import { EVERY_OPERATION, PROVED, type Refusals } from '../src/operations/operation.js';
import { OPERATIONS } from '../src/operations/operations.js';
import { recordLimits } from '../src/records/record-limits.js';
import { schemaLimits } from '../src/schemas/schema-limits.js';
import { databaseLimits } from '../src/store/database-limits.js';
import { erasureLimits } from '../src/store/erasure.js';
import { retryLimits } from '../src/store/outbox/outbox-limits.js';
import { failedAttemptLimits } from '../src/store/queries/failed-attempts.js';
import { queryLimits } from '../src/store/queries/query-limits.js';
import { keyLimits } from '../src/untrusted-keys/key-limits.js';
import { expectRefusal } from './support/checks.js';
import { newLedger, signed } from './support/client.js';
import { expectRows, namesIn, pagesOf, read, rowsOf, section } from './support/documents.js';
import { withServer } from './support/server.js';

const page = (name: string) => `docs/interface/${name}.md`;

/** The fenced blocks of a page that are marked so, without what they are indented by. */
function blocks(path: string, mark: string): string[] {
  const found = read(path).matchAll(new RegExp(`^( *)\`\`\`${mark}\n(.*?)^\\1\`\`\`$`, 'gms'));
  return [...found].map(([, indent = '', text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim());
}

interface Shown {
  readonly hash: string;
  readonly data: JsonObject | Json[];
  readonly meta: { readonly proofs?: Proof[] };
}

/** Everything in an example that has a hash: the answer, and the records of a list. That of a balance is empty. */
function hashed(value: unknown): Shown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'hash' in value && value.hash !== '' && 'meta' in value ? [value as Shown] : [];
  return [...own, ...Object.values(value).flatMap(hashed)];
}

describe('examples in docs/interface', async () => {
  const pages = await pagesOf('docs/interface');
  const examples = pages.flatMap((path) => blocks(path, 'json').map((text): [string, string] => [path, text]));

  it.each(examples)('%s shows what verifies: %s', (_, text) => {
    for (const { hash: shown, data, meta } of hashed(JSON.parse(text))) {
      expect(hash(data)).toBe(shown);
      for (const proof of meta.proofs ?? []) expect(verifyProof(shown, proof)).toBe(true);
    }
  });

  it('has a good number of them', () => {
    expect(examples.flatMap(([, text]) => hashed(JSON.parse(text))).length).toBeGreaterThan(15);
  });

  it('is worked out as the page says', () => {
    const [first = '', second = ''] = blocks(page('envelope'), 'text canonical');
    const [hashOfFirst = '', hashOfSecond = ''] = blocks(page('envelope'), 'text hash');
    const [custom = ''] = blocks(page('envelope'), 'text custom');
    const [unusual = ''] = blocks(page('envelope'), 'text data');
    const [shownDigest] = blocks(page('envelope'), 'text digest');
    const [result] = blocks(page('envelope'), 'text result');
    expect(canonical(JSON.parse(first))).toBe(first);
    expect(hash(JSON.parse(first))).toBe(hashOfFirst);
    expect(canonical(JSON.parse(custom))).toBe(custom);
    expect(digest(hashOfFirst, JSON.parse(custom))).toBe(shownDigest);
    expect(blocks(page('envelope'), 'json')[0]).toContain(`"result": "${result}"`);
    expect(canonical(JSON.parse(unusual))).toBe(second);
    expect(hash(JSON.parse(unusual))).toBe(hashOfSecond);
  });
});

describe('tables in docs/interface', async () => {
  const pages = await pagesOf('docs/interface');

  it.each(kinds.map((kind): [string, readonly string[]] => [kind.name, kind.data.order]))(
    'tell every member of a %s',
    (name, members) => {
      const path = pages.find((one) => read(one).includes(`<!-- fields ${name} -->`));
      const rows = rowsOf(section(path ?? page(name), `fields ${name}`)).slice(1);
      const told = new Set(rows.flatMap(([first = '']) => first.split(', ')));
      expectRows(path ?? page(name), `fields ${name}`, [...told].sort(), [...members].sort());
    },
  );

  it('tell the operations of every kind', () => {
    const [head = [], ...rows] = rowsOf(section(page('README'), 'operations'));
    const told = rows.map(([kind = '', , ...cells]) => [/\[(.*)\]/.exec(kind)?.[1], ...cells]);
    const due = kinds.map(({ name, lifecycle }) => [
      name,
      ...head.slice(2).map((one) => (lifecycle.operations.includes(one as never) ? '✓' : '')),
    ]);
    expectRows(page('README'), 'operations', told, due);
  });

  it('tell the prefix of every kind', () => {
    const told = rowsOf(section(page('envelope'), 'prefixes')).slice(1);
    const due = kinds.map(({ name, prefix }) => [name, `$${prefix}`]);
    expectRows(page('envelope'), 'prefixes', told, due);
  });

  it('tell what lists of every kind are filtered by', () => {
    const told = rowsOf(section(page('lists'), 'filters')).slice(1);
    const due = kinds.map((kind) => [kind.name, filterableMembers(kind).join(', ')]);
    expectRows(page('lists'), 'filters', told, due);
  });

  it('tell the statuses of every kind', () => {
    const told = rowsOf(section(page('statuses'), 'statuses')).slice(1);
    const due = kinds.map(({ name, lifecycle: { statuses, fixedStatus, operations } }) => {
      if (statuses) return [name, statuses.join(', ')];
      if (fixedStatus) return [name, 'set by the ledger alone'];
      return [name, operations.includes('proof') ? 'any' : 'created'];
    });
    const cells = told.map(([name = '', taken = '']) => [name, taken.split(';')[0] ?? '']);
    expectRows(page('statuses'), 'statuses', cells, due);
  });

  it('tell every reason, its status and meaning', () => {
    const told = rowsOf(section(page('errors'), 'reasons')).slice(1);
    const due = Object.entries(REASONS).map(([name, { status, meaning }]) => [name, `${status}`, meaning]);
    expectRows(page('errors'), 'reasons', told, due);
  });

  it('tell what every operation is refused for', () => {
    const told = rowsOf(section(page('errors'), 'by-operation')).slice(1);
    const besides = (reasons: readonly Reason[]) => {
      const common: readonly Reason[] = reasons.includes('crypto.signature-missing') ? PROVED : EVERY_OPERATION;
      return reasons.filter((reason) => !common.includes(reason)).join(', ');
    };
    const cellsOf = ({ always, nested = [] }: Refusals) => [besides(always), nested.join(', ')];
    const due = OPERATIONS.map(({ name, refusals }) => [name, ...cellsOf(refusals)]);
    expectRows(page('errors'), 'by-operation', told, due);
  });

  it('tell every action, record name and signal', () => {
    const { records, signals } = recordNames;
    const tell = (path: string, name: string, due: readonly string[]) =>
      expectRows(path, name, namesIn(section(path, name)), due);
    tell(page('access'), 'actions', RULE_ACTIONS);
    tell(page('access'), 'records', records);
    tell(page('effects'), 'signals', signals);
  });

  it('tell every name of the configuration that a ledger knows', () => {
    const { anyOf } = kindNamed('ledger').data.shape.properties.config as unknown as {
      anyOf: [{ properties: object }];
    };
    const told = rowsOf(section(page('ledgers'), 'config'))
      .slice(1)
      .map(([name = '']) => name);
    expectRows(page('ledgers'), 'config', told.toSorted(), Object.keys(anyOf[0].properties).toSorted());
  });

  it('tell the limits as they are', () => {
    const told = rowsOf(section(page('limits'), 'limits'))
      .slice(1)
      .map(([what = '', most = '']) => [what, most]);
    const of = (...values: number[]) => values.map((value) => value.toLocaleString('en'));
    const due = [
      of(bodyLimits.bytes).join(),
      of(bodyLimits.memory.process, bodyLimits.memory.sender, bodyLimits.memory.ledger).join(', '),
      of(bodyLimits.memory.waiting, bodyLimits.memory.together).join(' and '),
      of(requestLimits.arrival / 1000).join(),
      of(jsonLimits.depth, jsonLimits.values).join(' and '),
      of(handleLimits.characters).join(),
      of(recordLimits.proofs).join(),
      of(recordLimits.momentAhead).join(),
      of(recordLimits.bytes).join(),
      of(recordLimits.filterable).join(),
      of(recordLimits.labels, dataLimits.label).join(' and '),
      of(accessLimits.rules).join(),
      of(policyLimits.extended, policyLimits.quorum).join(' and '),
      of(intentLimits.claims, routeLimits.count).join(' and '),
      of(routeLimits.hops).join(),
      of(stateLimits.effects.count, stateLimits.effects.inDomains).join(' and '),
      of(filterLimits.count, filterLimits.characters, filterLimits.depth).join(', '),
      of(bridgeLimits.secure, bridgeLimits.traits).join(' and '),
      of(keyLimits.privateKey, keyLimits.chain.characters, keyLimits.chain.count).join(', '),
      of(keyLimits.rsa.greatest).join(),
      of(stateLimits.characters).join(),
      of(stateLimits.forDomains).join(),
      of(listLimits.page.greatest).join(),
      of(queryLimits.answers.page).join(),
      of(listLimits.scan).join(),
      of(listLimits.page.greatest).join(),
      of(filterLimits.count, filterLimits.characters, filterLimits.depth).join(', '),
      of(databaseLimits.listing).join(),
      of(filterLimits.count, filterLimits.characters, filterLimits.depth).join(', '),
      of(filterLimits.elements).join(),
      of(erasureLimits.reason).join(),
      of(retryLimits.waiting).join(),
      of(retryLimits.attempts).join(),
      of(accessLimits.grants, accessLimits.readers).join(' and '),
      of(workLimits.request).join(),
      of(schemaLimits.bytes, schemaLimits.depth, schemaLimits.subschemas).join(', '),
      of(schemaLimits.pattern.count, schemaLimits.pattern.characters, schemaLimits.pattern.properties).join(', '),
      of(schemaLimits.code).join(),
      of(tokenLimits.bytes).join(),
      of(tokenLifetime.selfSigned).join(),
      of(audienceLimits.count).join(),
      of(tokenLifetime.greatest).join(),
      of(failedAttemptLimits.attempts).join(),
      of(scheduleLimits.policies, scheduleLimits.inDomains).join(' and '),
      of(scheduleLimits.values, scheduleLimits.cron).join(' and '),
      of(assetLimits.each).join(),
      of(assetLimits.output).join(),
      of(logLimits.waiting.each, logLimits.waiting.count).join(' and '),
      of(requestLimits.clients.pipelined).join(),
    ];
    const what = (at: number) => told[at]?.[0] ?? 'a new row';
    const rows = due.map((most, at) => [what(at), most]);
    expectRows(page('limits'), 'limits', told, rows);
  });
});

describe('requests that docs/interface says are not served yet', () => {
  const server = withServer();
  const requests = namesIn(section(page('README'), 'unserved'));

  it.each(requests)('%s', async (request) => {
    const [method = '', path = ''] = request.replace(/\{\w+\}/g, 'x').split(' ');
    const client = await newLedger(server.current.url);
    const { hash: parent, luid } = (await client.get('/ledger')).body;
    const body = { luid, ...signed({ parent }, client.key, { status: 'dropped' }) };
    const answer = await client.call(method, path, method === 'GET' ? undefined : body);
    const detail = path.startsWith('/system') ? 'Journaling is not enabled' : 'Route not found';
    expectRefusal(answer, client, 'api.route-not-found', detail);
  });
});
