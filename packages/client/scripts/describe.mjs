/** Routes of older clients, which do what another route does. */
const ALIASES = /ByPost$|ByHandle$|BySign$|^activate/;

/** The method of each operation, by its id: `$` stands for the kind, `$s` for several of it. */
const METHODS = [
  ['create$', 'create'],
  ['list$s', 'list'],
  ['read$', 'get'],
  ['update$', 'update'],
  ['add$Proof', 'sign'],
  ['drop$', 'drop'],
  ['erase$', 'erase'],
  ['list$Changes', 'history'],
  ['read$Change', 'change'],
  ['read$Inclusion', 'inclusion'],
  ['read$Log', 'log'],
  ['read$LogConsistency', 'consistency'],
  ['check$Access', 'check'],
  ['read$Anchors', 'anchors'],
  ['lookup$Anchors', 'lookup'],
  ['read$Domains', 'domains'],
  ['list$Balances', 'balances'],
  ['list$Limits', 'limits'],
  ['list$Events', 'events'],
  ['read$Event', 'event'],
  ['retry$Events', 'retry'],
  ['read$Asset', 'asset'],
  ['list$Requests', 'requests'],
  ['read$Request', 'request'],
];

/** The kinds of record that the document describes, with what the client and the command line need of each. */
export function describe(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
  const creates = operations.filter(({ operationId }) => /^create/.test(operationId) && operationId !== 'createToken');
  const kinds = creates.map((create) => describeKind(document, operations, create));
  const covered = new Set(kinds.flatMap(({ ids }) => ids));
  const kindTags = new Set(creates.flatMap(({ tags }) => tags));
  for (const { operationId, tags } of operations) {
    if (!tags?.some((tag) => kindTags.has(tag)) || covered.has(operationId)) continue;
    if (ALIASES.test(operationId)) continue;
    throw new Error(`The client has no method for ${operationId}: add one to scripts/describe.mjs and to the client`);
  }
  return kinds.map(({ ids, ...kind }) => kind);
}

function describeKind(document, operations, create) {
  const [tag] = create.tags;
  const pascal = create.operationId.slice('create'.length);
  const several = operations
    .find(({ method, path, operationId }) => method === 'get' && path === create.path && operationId.startsWith('list'))
    .operationId.slice('list'.length);
  const record = referred(create.requestBody.content['application/json'].schema).replace(/-create$/, '');
  const found = METHODS.flatMap(([pattern, name]) => {
    const id = pattern.replace('$s', several).replace('$', pascal);
    const operation = operations.find(({ operationId }) => operationId === id);
    return operation ? [{ name, id, operation }] : [];
  });
  const [, prefix] = /\$([a-z]{3})\./.exec(document.tags.find(({ name }) => name === tag).description) ?? [];
  if (!prefix) throw new Error(`The description of the tag ${tag} tells no luid`);
  const [, parent] = /\{(\w+)\}/.exec(create.path) ?? [];
  return {
    record,
    title: tag,
    prefix,
    path: create.path,
    item: operations.find(({ operationId }) => operationId === `read${pascal}`).path,
    ...(parent ? { parent } : {}),
    operations: found.map(({ name, operation }) => describeOperation(name, operation)),
    members: membersOf(document, `${record}-data`),
    ids: found.map(({ id }) => id),
  };
}

function describeOperation(name, { summary, method, path, parameters = [], responses }) {
  const filters = parameters.find((one) => one.name === 'filters')?.schema;
  const answer = Object.entries(responses).find(([status]) => status < 300)?.[1].content?.['application/json']?.schema;
  return {
    name,
    summary,
    method: method.toUpperCase(),
    path,
    ...(filters
      ? { filters: [...Object.keys(filters.properties ?? {}), ...(filters.patternProperties ? ['data.custom.*'] : [])] }
      : {}),
    ...(answer?.$ref ? { answer: referred(answer) } : {}),
  };
}

/** The members of a component, over the forms that it may have. */
function membersOf(document, name) {
  const forms = formsOf(document, { $ref: `#/components/schemas/${name}` });
  const members = new Map();
  for (const { properties = {} } of forms) {
    for (const [member, schema] of Object.entries(properties)) {
      const now = typeOf(document, schema);
      const before = members.get(member) ?? now;
      const { values: _, ...others } = { ...now, ...before };
      // Values bound a member where every form that has it bounds it.
      const values = before.values && now.values && [...new Set([...before.values, ...now.values])];
      members.set(member, { name: member, ...others, ...(values ? { values } : {}), isRequired: true });
    }
  }
  for (const member of members.values()) {
    member.isRequired = forms.every(({ required = [] }) => required.includes(member.name));
  }
  return [...members.values()];
}

function formsOf(document, schema) {
  if (schema.$ref) return formsOf(document, document.components.schemas[referred(schema)]);
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.flatMap((one) => formsOf(document, one));
  if (schema.allOf && !schema.properties) return [merged(schema.allOf.flatMap((one) => formsOf(document, one)))];
  return [schema];
}

function merged(forms) {
  return {
    properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
    required: forms.flatMap(({ required = [] }) => required),
  };
}

function typeOf(document, schema) {
  const one = schema.$ref ? document.components.schemas[referred(schema)] : schema;
  const several = (one.anyOf ?? one.oneOf ?? []).map((each) => typeOf(document, each).type);
  const type = one.type ?? (several.length > 0 ? [...new Set(several.flat())] : 'any');
  return {
    type: Array.isArray(type) && type.length === 1 ? type[0] : type,
    ...(one.enum ? { values: one.enum } : {}),
    ...(one.description ? { description: one.description } : {}),
  };
}

function referred({ $ref }) {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}
