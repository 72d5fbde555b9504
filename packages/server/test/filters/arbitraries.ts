import type { Json, JsonObject, RecordEnvelope } from '@countersign/protocol';
import fc from 'fast-check';
import type { MeantFilter } from './evaluator.js';

/** Texts that something on the way could take for something else. */
const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'b',
    'A',
    'ab',
    'gold',
    'gold_1',
    'golden',
    '50%',
    '5_',
    "it's",
    'say "x"',
    'back\\slash',
    '\\',
    '\t',
  ],
  ...[
    'é',
    'e\u0301',
    '日本',
    '\u{1f600}',
    '\u{1f600}b',
    '\u{10ffff}',
    '\ud7ff',
    '\ue000',
    '\uff21',
    '\uffff',
    'a\u{1f600}',
  ],
  ...['5', '05', '5.0', '1e2', '100', '-0', '0', 'true', 'false', 'null', '$eq', '[0]', '{}', '.', '.*', '%', "'; --"],
  ...['x'.repeat(600), `${'x'.repeat(600)}y`],
];

const NUMBERS = [
  ...[0, -0, 1, 5, -5, 7, 100, 0.1, 0.1 + 0.2, -2.5, 15, 20, 1e-7, -1e-7, Number.MIN_VALUE],
  ...[Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
];

/** Texts that write no number, but nearly one. */
const NO_NUMBERS = [
  '0x10',
  '1e',
  '--5',
  '5abc',
  'Infinity',
  'NaN',
  '5 ',
  '1_000',
  '.',
  '+',
  '1e400',
  '-1e400',
  '1e21',
  '٥',
];

/** Longer than a filter can be. */
const LONG = 'é'.repeat(3_000);

const text = fc.constantFrom(...TEXTS);
const number = fc.constantFrom(...NUMBERS);
const leaf: fc.Arbitrary<Json> = fc.oneof(text, number, fc.boolean(), fc.constant(null));

/** Data of every shape below few names, so that filters meet what they ask for. */
const custom: fc.Arbitrary<JsonObject> = fc.record(
  {
    n: fc.oneof({ arbitrary: number, weight: 3 }, { arbitrary: text, weight: 1 }),
    s: fc.constantFrom(...TEXTS, LONG),
    b: fc.oneof(fc.boolean(), fc.constantFrom('true', 'false')),
    tags: fc.array(leaf, { maxLength: 4 }),
    list: fc.array(fc.record({ v: leaf, w: fc.array(leaf, { maxLength: 2 }) }, { requiredKeys: [] }), { maxLength: 3 }),
    grid: fc.array(fc.array(number, { maxLength: 2 }), { maxLength: 2 }),
    deep: fc.record({ x: fc.record({ y: leaf }), 'x.y': text }, { requiredKeys: [] }),
    any: fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.record({ v: leaf, '0': leaf }, { requiredKeys: [] })),
    'q"u\\o\'te': leaf,
    ключ: leaf,
  },
  { requiredKeys: [] },
);

/** Data of wallets, but for their handles. */
export const walletData = fc.record(
  { custom, schema: fc.constantFrom('person', 'firm') },
  { requiredKeys: ['schema'] },
);

/** What proofs say of records later. */
export const changes = fc.record(
  {
    labels: fc.uniqueArray(fc.constantFrom('vip', 'eu', '50%', '\u{1f600}', 'true'), { maxLength: 3 }),
    status: fc.constantFrom('active', 'suspended', 's'.repeat(99), 's'.repeat(100), `${'s'.repeat(100)}t`),
  },
  { requiredKeys: [] },
);

/** In either form that clients write it. */
function addressOf(...handles: string[]): fc.Arbitrary<Json> {
  const handle = fc.constantFrom(...handles);
  return fc.oneof(
    { arbitrary: handle.map((named) => ({ handle: named })), weight: 2 },
    { arbitrary: handle, weight: 1 },
  );
}

const address = addressOf('w-0', 'w-1@shop', 'w-2@bank', 'w-3');
const symbol = addressOf('usd', 'eur');
const amount = fc.constantFrom(1, 5, 100, Number.MAX_SAFE_INTEGER);

const claim: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ action: fc.constant('issue'), target: address, symbol, amount }),
  fc.record({ action: fc.constant('transfer'), source: address, target: address, symbol, amount }),
  fc.record({ action: fc.constant('destroy'), source: address, symbol, amount }),
);

/** Data of intents, but for their handles. */
export const intentData = fc.record(
  { claims: fc.array(claim, { minLength: 1, maxLength: 4 }), custom },
  { requiredKeys: ['claims'] },
);

const COMMON = [
  ...['data.handle', 'data.schema', 'meta.status', 'meta.labels', 'meta.labels.0', 'meta.domain', 'meta.moment'],
  ...[
    ...['n', 's', 'b', 'tags', 'tags.0', 'tags.1', 'list.v', 'list.0.v', 'list.9.v', 'list.w', 'list.1.w', 'list.w.0'],
    ...[
      'list.0.w.0',
      'grid',
      'grid.0',
      'grid.0.1',
      'deep.x.y',
      'deep.x',
      'any',
      'any.v',
      'any.0',
      'q"u\\o\'te',
      'ключ',
    ],
    'ghost',
  ].map((path) => `data.custom.${path}`),
];

const CLAIMS = ['action', 'amount', 'source.handle', 'target.handle', 'symbol.handle'].flatMap((member) => [
  `data.claims.${member}`,
  `data.claims.0.${member}`,
  `data.claims.2.${member}`,
]);

/** Fields that lists of these kinds are filtered by. */
export const PATHS = { wallets: COMMON, intents: [...COMMON, ...CLAIMS, ...CLAIMS, 'meta.domains', 'meta.domains.0'] };

const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$regex'];

/** The forms in which a number may be written. */
function written(value: number): string[] {
  const forms = [String(value), `+${value}`, value.toExponential(), `${value}`.replace(/^(-?)/, '$100')];
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? [...forms, `${value}.`, value.toFixed(3)] : forms;
}

const anyText = fc.oneof(
  text,
  number.chain((value) => fc.constantFrom(...written(value))),
  fc.constantFrom(...NO_NUMBERS),
);

/** Conjunctions of filters that ask, more often than not, for values that the records have. */
export function conjunctions(
  kind: keyof typeof PATHS,
  records: readonly RecordEnvelope[],
): fc.Arbitrary<readonly MeantFilter[]> {
  const moments = [...new Set(records.map(({ meta }) => meta.moment))];
  const moment = fc.constantFrom(...moments).chain((at) => fc.constantFrom(...instants(at)));
  const known = new Map(PATHS[kind].map((path) => [path, textsAt(records, path)]));
  const filter = fc.constantFrom(...PATHS[kind]).chain((path) => {
    const texts = known.get(path) ?? [];
    const value = texts.length > 0 ? fc.oneof({ arbitrary: fc.constantFrom(...texts), weight: 3 }, anyText) : anyText;
    return fc
      .constantFrom(...OPERATORS.filter((operator) => !(path === 'meta.moment' && operator === '$regex')))
      .chain((operator): fc.Arbitrary<MeantFilter> => {
        const one = path === 'meta.moment' ? moment : operator === '$regex' ? value.chain(partOf) : value;
        const maxLength = operator === '$in' || operator === '$nin' ? 4 : 1;
        return fc.array(one, { minLength: 1, maxLength }).map((values) => ({ path, operator, values }));
      });
  });
  return fc.array(filter, { minLength: 2, maxLength: 4 });
}

/** A part of a text as a pattern, with some characters replaced. */
function partOf(value: string): fc.Arbitrary<string> {
  const characters = [...value].slice(0, 300);
  const within = fc.nat(characters.length);
  return fc
    .tuple(within, within, fc.constantFrom('', '.', '_', '%', '.*', '\\', '\\_', '^'), within)
    .map(([from, to, put, at]) => {
      const part = characters.slice(Math.min(from, to), Math.max(from, to));
      return part.toSpliced(at % (part.length + 1), put === '' ? 0 : 1, put).join('');
    });
}

/** A moment, one a little later, and the day, in several forms. */
function instants(moment: string): string[] {
  const elsewhere = new Date(Date.parse(moment) + 19_800_000).toISOString().replace('Z', '+05:30');
  const later = new Date(Date.parse(moment) + 1).toISOString();
  return [moment, elsewhere, later, moment.slice(0, 10), moment.replace('Z', '000Z')];
}

/** What the records have at a path, as texts, as long as a few of them fit a query. */
function textsAt(records: readonly RecordEnvelope[], path: string): string[] {
  const steps = path.split('.').filter((step) => !/^\d+$/.test(step));
  const found = new Set(records.flatMap((record) => leaves(record as unknown as Json, steps)));
  return [...found].filter((value) => encodeURIComponent(value).length <= 700);
}

function leaves(node: Json | undefined, steps: readonly string[]): string[] {
  if (Array.isArray(node)) return node.flatMap((element) => leaves(element, steps));
  const [step, ...others] = steps;
  if (typeof node === 'object' && node !== null && step !== undefined) return leaves(node[step], others);
  return steps.length === 0 && node !== undefined && typeof node !== 'object' ? [String(node)] : [];
}
