import { type JsonObject, LedgerError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../src/kinds/registry.js';
import { faults } from './faults.js';

const NAME = '^(?!layout|access|status|labels|schedule|processing|authentication|dtc).*$';
const other = (schema: string) => `/schema must be equal to one of the allowed values: ${schema}`;

/** The recorded list of errors of interface/policies#fields, with those of the branch at `place` instead of its own. */
function listed(place: number, own: string[]): string[] {
  const lines = [
    ...['layout', 'status', 'labels', 'access'].map(other),
    " must have required property 'action'",
    ...['processing', 'authentication', 'dtc'].map(other),
  ];
  lines.splice(place, 1, ...own);
  return [...lines, `/schema must match pattern "${NAME}"`, ' must match a schema in anyOf'];
}

const aspect = { schema: 'aspect', action: 'read', invoke: { bridge: 'b' }, config: { strategy: 'proxy' } };
const provider = {
  schema: 'oauth2',
  signer: { handle: 'p' },
  target: { schema: 'service' },
  config: { 'jwt.ttl': 600 },
};
const schedule = { handle: 'p', schema: 'schedule', record: 'report', action: 'create', inputs: { schema: 'daily' } };
const of = (schema: string, ...values: JsonObject[]): JsonObject => ({ handle: 'p', schema, values });

describe('policies', () => {
  const good: [string, JsonObject][] = [
    ['layout', of('layout', { record: 'wallet', values: [{ data: { any: 1 }, custom: {} }], custom: {} })],
    ['status', of('status', { quorum: [], status: { $in: ['a'] }, filter: {} }, { quorum: [{ handle: 's' }] })],
    ['labels', of('labels')],
    ['label values', of('labels', {}, { label: 'a', unique: true, filter: {} }, { label: { $regex: 'x.*' } })],
    ['access', of('access', { action: 'read', record: 'wallet' })],
    ['schedule', schedule],
    ['schedule with instants', { ...schedule, values: [{ cron: '0 6 * * *' }], config: { timezone: 'Europe/Zurich' } }],
    [
      'processing',
      { ...of('processing', aspect, { schema: 'aspect', action: 'drop', invoke: { bridge: 'b' } }), record: 'anchor' },
    ],
    ['authentication', { ...of('authentication', provider), record: 'any' }],
    ['dtc', of('dtc')],
    ['a name of the user', of('retention', { days: 3 })],
    ['a filter, and what it extends', { ...of('status'), filter: { schema: 'x' }, extend: ['a', 'b'] }],
  ];
  it.each(good)('takes %s', (_, data) => {
    expect(faults('policy', data)).toEqual([]);
  });

  const bad: [string, JsonObject, string[]][] = [
    [
      'a status value without quorum',
      of('status', { status: 'a' }),
      listed(1, ["/values/0 must have required property 'quorum'"]),
    ],
    [
      'a stray member of a status value',
      of('status', { quorum: [], statuses: 'a' }),
      listed(1, ['/values/0 must NOT have unevaluated properties']),
    ],
    [
      'a layout without values',
      of('layout', { record: 'wallet' }),
      listed(0, ["/values/0 must have required property 'values'"]),
    ],
    [
      'a layout of a record that there is not',
      of('layout', { record: 'wallets', values: [] }),
      listed(0, [expect.stringMatching('^/values/0/record must be equal to one of the allowed values: ')]),
    ],
    [
      'a stray member of a label value',
      of('labels', { labels: ['a'] }),
      listed(2, ['/values/0 must NOT have unevaluated properties']),
    ],
    [
      'a schedule value without cron',
      { ...schedule, values: [{ at: '06:00' }] },
      listed(4, ["/values/0 must have required property 'cron'"]),
    ],
    [
      'no invoke',
      of('processing', { schema: 'aspect', action: 'read' }),
      listed(5, ["/values/0 must have required property 'invoke'"]),
    ],
    [
      'an unknown strategy',
      of('processing', { ...aspect, config: { strategy: 'x' } }),
      listed(5, [
        '/values/0/config/strategy must be equal to one of the allowed values: proxy, fallback, validate, synchronize',
      ]),
    ],
    [
      'an unknown action',
      of('processing', { ...aspect, action: 'x' }),
      listed(5, [
        '/values/0/action must be equal to one of the allowed values: read, query, create, update, drop, sign',
      ]),
    ],
    [
      'a life of tokens of nothing',
      of('authentication', { ...provider, config: { 'jwt.ttl': 0 } }),
      listed(6, ['/values/0/config/jwt.ttl must be >= 1']),
    ],
  ];
  it.each(bad)('refuses %s', (_, data, expected) => {
    expect(faults('policy', data)).toEqual(expected);
  });

  it('refuses an access value of an unknown action in its branch alone', () => {
    const errors = faults('policy', of('access', { action: 'sign' }));
    expect(errors.slice(0, 3)).toEqual(['layout', 'status', 'labels'].map(other));
    expect(errors[3]).toMatch(/^\/values\/0/);
    expect(errors.slice(-6)).toEqual(listed(3, []).slice(-6));
  });

  it('refuses a name of its own that begins like one of the service', () => {
    expect(faults('policy', of('status-2'))).toEqual(listed(0, [other('layout')]));
  });
});

/** Why the checks beyond shape refuse `data`. */
function refusal(data: JsonObject): string | undefined {
  try {
    kindNamed('policy').data.check?.(data);
    return undefined;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    expect(error.custom).toBeUndefined();
    return `${error.reason}: ${error.detail}`;
  }
}

describe('strategies of processing', () => {
  const actions = ['read', 'query', 'create', 'update', 'drop', 'sign'];
  it.each(actions)('%s', (action) => {
    const reads = action === 'read' || action === 'query';
    const strategy = (name: string) =>
      refusal(of('processing', aspect, { ...aspect, action, config: { strategy: name } }));
    expect(strategy('validate')).toBe(
      reads ? "record.schema-invalid: Cannot define 'validate' strategy for read or query actions" : undefined,
    );
    expect(strategy('fallback')).toBe(
      reads ? undefined : "record.schema-invalid: Cannot define 'fallback' strategy for non-read or query actions",
    );
    expect(strategy('proxy')).toBeUndefined();
    expect(strategy('synchronize')).toBeUndefined();
  });
});

describe('filters of access values', () => {
  const filtered = (record: unknown, ...keys: string[]) =>
    ({
      ...(of('access') as object),
      values: [
        {
          action: 'read',
          ...(record !== undefined && { record }),
          filter: Object.fromEntries(keys.map((key) => [key, 'x'])),
        },
      ],
    }) as JsonObject;
  const common = ['handle', 'schema', 'custom.a', 'custom.a.b', 'meta.domain', 'meta.labels', 'meta.status'];

  it('take the keys of the kind', () => {
    expect(refusal(filtered('wallet', ...common, 'bridge'))).toBeUndefined();
    expect(refusal(filtered('symbol', ...common, 'factor'))).toBeUndefined();
    expect(refusal(filtered('intent', ...common, 'meta.thread'))).toBeUndefined();
    expect(refusal(filtered('anchor', ...common))).toBeUndefined();
    expect(refusal(filtered(undefined, ...common))).toBeUndefined();
    expect(refusal({ ...filtered(undefined, 'bridge'), record: 'wallet' })).toBeUndefined();
  });

  const stray: [unknown, string, string, string][] = [
    [
      'wallet',
      'data.handle',
      'wallet',
      '"^handle$","^schema$","^bridge$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$"',
    ],
    [
      'symbol',
      'bridge',
      'symbol',
      '"^handle$","^schema$","^factor$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$"',
    ],
    [
      'intent',
      'custom',
      'intent',
      '"^handle$","^schema$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$","^meta.thread$"',
    ],
    [
      'anchor',
      'meta.owners',
      'anchor',
      '"^handle$","^schema$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$"',
    ],
    [
      { $in: ['wallet', 'symbol'] },
      'bridge',
      'symbol',
      '"^handle$","^schema$","^factor$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$"',
    ],
    [
      { $nin: ['wallet'] },
      'bridge',
      'any',
      '"^handle$","^schema$","^custom..+$","^meta.domain$","^meta.labels$","^meta.status$"',
    ],
  ];
  it.each(stray)('%j refuses %s', (record, key, named, allowed) => {
    expect(refusal(filtered(record, 'handle', key))).toBe(
      `record.schema-invalid: Cannot define access filter key "${key}" for record "${named}". Allowed keys: [${allowed}]`,
    );
  });
});
