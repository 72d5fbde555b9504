/** An object of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

export function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An operation with what it stands in. */
export interface Described {
  /** A JSON pointer. */
  readonly at: string;
  readonly path: string;
  readonly item: Part;
  readonly operation: Part;
  readonly isWebhook: boolean;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** The operations of paths and of webhooks. */
export function operationsOf({ paths, webhooks }: Part): Described[] {
  const groups = Object.entries({ paths, webhooks });
  return groups.flatMap(([group, items]) =>
    entriesOf(items).flatMap(([path, item]) =>
      entriesOf(item)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => {
          const at = `/${group}/${escaped(path)}/${method}`;
          return { at, path, item, operation, isWebhook: group === 'webhooks' };
        }),
    ),
  );
}

/** The parameters of an operation or of a path, where they refer to components those. */
export function parametersOf(document: Part, { parameters }: Part): Part[] {
  const given = Array.isArray(parameters) ? parameters.filter(isPart) : [];
  return given.map((one) => (typeof one.$ref === 'string' ? partAt(document, one.$ref) : one));
}

function partAt(document: Part, reference: string): Part {
  const found = reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, step) => (isPart(part) ? part[step] : undefined), document);
  if (!isPart(found)) throw new Error(`Nothing is at ${reference}`);
  return found;
}

/** What has a schema and may have examples: the forms of bodies, parameters, headers. */
export function mediaOf(document: Part): { readonly at: string; readonly media: Part }[] {
  return [...placesOf(document)].filter(({ part }) => isPart(part.schema)).map(({ at, part }) => ({ at, media: part }));
}

const MAPS = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];
const SINGLE = ['items', 'additionalProperties', 'unevaluatedProperties', 'not', 'if', 'then', 'else', 'propertyNames'];
const SEVERAL = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

/** Every schema, with those inside. */
export function schemasOf(document: Part): { readonly at: string; readonly schema: Part }[] {
  const components = isPart(document.components) ? document.components : {};
  const named = entriesOf(components.schemas).map(([name, schema]) => ({ at: `/components/schemas/${name}`, schema }));
  const inline = mediaOf(document).map(({ at, media }) => ({ at: `${at}/schema`, schema: media.schema as Part }));
  return [...named, ...inline].flatMap(({ at, schema }) => [...within(at, schema)]);
}

function* within(at: string, schema: Part): Generator<{ readonly at: string; readonly schema: Part }> {
  yield { at, schema };
  for (const keyword of SINGLE) {
    const inner = schema[keyword];
    if (isPart(inner)) yield* within(`${at}/${keyword}`, inner);
  }
  for (const keyword of [...MAPS, ...SEVERAL]) {
    for (const [name, inner] of Object.entries(schema[keyword] ?? {})) {
      if (isPart(inner)) yield* within(`${at}/${keyword}/${escaped(name)}`, inner);
    }
  }
}

/** What people read. */
export function textsOf(document: Part): { readonly at: string; readonly text: string }[] {
  return [...placesOf(document)].flatMap(({ at, part }) =>
    [part.description, part.title, part.summary].flatMap((text) => (typeof text === 'string' ? [{ at, text }] : [])),
  );
}

/** Every object outside of examples. */
function* placesOf(value: unknown, at = ''): Generator<{ readonly at: string; readonly part: Part }> {
  if (isPart(value)) yield { at, part: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* placesOf(inner, `${at}/${escaped(name)}`);
  }
}

function entriesOf(value: unknown): [string, Part][] {
  return isPart(value) ? Object.entries(value).filter((entry): entry is [string, Part] => isPart(entry[1])) : [];
}

/** A step of a JSON pointer, as it stands in a fragment. */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
