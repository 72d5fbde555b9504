/** The text of `kinds.ts`: what the client needs at run time. */
export function writeKinds(kinds) {
  const table = kinds.map(({ record, prefix, path, item }) => {
    return `  ${quote(record)}: [${[prefix, path, item].map(quote).join(', ')}],`;
  });
  return [
    '',
    '/** Of each kind the letters of its luids, and the paths of the collection and of one record. */',
    'export const KINDS = {',
    ...table,
    '} as const;',
    '',
    '/** A kind, as rules name it. */',
    'export type RecordName = keyof typeof KINDS;',
    '',
  ].join('\n');
}

/** The text of `operations.ts`: the interface of each kind. */
export function writeOperations(kinds) {
  const text = kinds.map(writeInterface).join('');
  const used = OPTIONS.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  return [
    '',
    `import type { ${used.join(', ')} } from '../options.js';`,
    "import type { Pages } from '../pages.js';",
    "import type { components } from './schemas.js';",
    '',
    '/** The shapes of the interface, by the names that its description gives them. */',
    "export type Schemas = components['schemas'];",
    text,
  ].join('\n');
}

const OPTIONS = [
  'DropOptions',
  'EraseOptions',
  'GetOptions',
  'HistoryOptions',
  'ListOptions',
  'ReadOptions',
  'RetryOptions',
  'SignOptions',
  'Stated',
  'WithoutMember',
  'WriteOptions',
];

/** The text of `description.ts`, for programs that are made from it, such as a command line. */
export function writeDescription(kinds) {
  return `
/** An operation on records of a kind, by the name of the client's method. */
export interface OperationDescription {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  /** Members that a list may be filtered by; \`*\` stands for any path. */
  readonly filters?: readonly string[];
  /** The schema of the answer. */
  readonly answer?: string;
}

/** A member of the data of a record. */
export interface MemberDescription {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string | readonly string[];
  readonly values?: readonly (string | number | boolean | null)[];
  readonly description?: string;
}

/** A kind of record. */
export interface KindDescription {
  /** As rules name it. */
  readonly record: string;
  readonly title: string;
  /** The letters of its luids. */
  readonly prefix: string;
  readonly path: string;
  readonly item: string;
  /** The member of data, and parameter of the path, that names the record above. */
  readonly parent?: string;
  readonly operations: readonly OperationDescription[];
  readonly members: readonly MemberDescription[];
}

export const DESCRIPTION: readonly KindDescription[] = ${JSON.stringify(kinds, null, 2)};
`;
}

function writeInterface({ record, title, prefix, parent, operations }) {
  const name = `${title.replace(/ /g, '')}Operations`;
  const types = {
    record: `Schemas[${quote(record)}]`,
    data: parent ? `WithoutMember<Schemas['${record}-data'], '${parent}'>` : `Schemas['${record}-data']`,
    change: `Schemas['${record}-change']`,
    // The ledger's own record is the one that its path names.
    id: record === 'ledger' ? '' : 'id: string, ',
    target:
      record === 'ledger'
        ? `record: ${`Schemas[${quote(record)}]`} | undefined`
        : `record: Schemas[${quote(record)}] | string`,
  };
  const lines = operations.map((operation) => {
    return [`  /** ${operation.summary}. */`, `  ${SIGNATURES[operation.name](types, operation)}`].join('\n');
  });
  return `\n/** ${title} records; their luids begin with \`$${prefix}.\`. */\nexport interface ${name} {\n${lines.join('\n')}\n}\n`;
}

const SIGNATURES = {
  create: ({ data, record }) => `create(data: ${data}, options?: WriteOptions): Promise<${record}>;`,
  list: ({ record }, { filters }) => `list(options?: ListOptions<${filterNames(filters)}>): Pages<${record}>;`,
  get: ({ id, record }) => `get(${id}options?: GetOptions): Promise<${record}>;`,
  update: ({ target, record, data }) =>
    `update(${target}, data: ${data} | ((current: ${record}['data']) => ${data}), options?: WriteOptions): Promise<${record}>;`,
  sign: ({ target, record }) => `sign(${target}, custom?: Stated, options?: SignOptions): Promise<${record}>;`,
  drop: ({ target }) => `drop(${target}, options?: DropOptions): Promise<void>;`,
  erase: ({ record }) =>
    `erase(record: ${record} | string, reason: string, options?: EraseOptions): Promise<Schemas['erasure-record']>;`,
  history: ({ id, change }) => `history(${id}options?: HistoryOptions): Pages<${change}>;`,
  change: ({ id, change }) => `change(${id}change: number, options?: ReadOptions): Promise<${change}>;`,
  inclusion: ({ id }) => `inclusion(${id}change: number, options?: ReadOptions): Promise<Schemas['inclusion']>;`,
  log: () => `log(options?: ReadOptions): Promise<Schemas['log']>;`,
  consistency: () => `consistency(from: number, to?: number, options?: ReadOptions): Promise<Schemas['consistency']>;`,
  check: ({ id }) =>
    `check(${id}action: string, options?: WriteOptions & { record?: string }): Promise<Schemas['granted-rule'][]>;`,
  anchors: () => `anchors(address: string, options?: ReadOptions): Promise<Schemas['found-anchors']['data']>;`,
  lookup: () =>
    `lookup(address: string, data?: WithoutMember<Schemas['lookup']['data'], 'wallet'>, options?: WriteOptions): Promise<Schemas['found-anchors']['data']>;`,
  domains: () => `domains(address: string, options?: ReadOptions): Promise<Schemas['found-domains']['data']>;`,
  balances: ({ id }, { filters }) =>
    `balances(${id}options?: ListOptions<${filterNames(filters)}>): Pages<Schemas['balance']>;`,
  limits: ({ id }, { filters }) =>
    `limits(${id}options?: ListOptions<${filterNames(filters)}>): Pages<Schemas['wallet-limit']>;`,
  requests: (_, { filters }) =>
    `requests(options?: ListOptions<${filterNames(filters)}>): Pages<Schemas['request-entry']>;`,
  request: () => "request(id: string, options?: ReadOptions): Promise<Schemas['request-entry']>;",
  events: ({ id }, { filters }) =>
    `events(${id}options?: ListOptions<${filterNames(filters)}>): Pages<Schemas['delivery']>;`,
  event: ({ id }) => `event(${id}event: string, options?: ReadOptions): Promise<Schemas['delivery']>;`,
  retry: ({ id }) => `retry(${id}options?: RetryOptions): Promise<void>;`,
  asset: ({ id }) => `asset(${id}asset: string, options?: ReadOptions): Promise<Response>;`,
};

function filterNames(filters = []) {
  return (
    filters.map((name) => (name.endsWith('*') ? `\`${name.slice(0, -1)}\${string}\`` : quote(name))).join(' | ') ||
    'never'
  );
}

function quote(text) {
  return `'${text}'`;
}
