import { readJson } from '@countersign/protocol';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
}

interface Document {
  readonly info: Readonly<Record<string, string>>;
  readonly servers: unknown;
  readonly security: unknown;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const METHODS = ['get', 'post', 'put', 'delete'];

type Schema = Record<string, unknown>;

/**
 * The document with its answers closed, so that a member which it does not name is found. What it says is open because
 * later releases may add members.
 */
function answersClosed(document: Document): Document {
  const { schemas = {}, ...others } = document.components;
  const names = Object.keys(schemas).filter((name) => `${name}-list` in schemas || /-(list|changes?)$/.test(name));
  const shared = ['granted-rule', 'granted-rules', 'answer-meta', 'page', 'counted-page', 'proof', 'schema-error'];
  const closed = [...names, ...shared].map((name) => [name, closedAnswer(schemas[name] as Schema)]);
  return { ...document, components: { ...others, schemas: { ...schemas, ...Object.fromEntries(closed) } } };
}

/** An object without members that are not named, neither in itself nor in the objects that it holds. */
function closedAnswer(schema: Schema): Schema {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, value]) => [
    name,
    name === 'data' || name === 'meta' ? { allOf: [value], ...(isList(value) ? {} : CLOSED) } : value,
  ]);
  return { ...schema, properties: Object.fromEntries(properties), ...CLOSED };
}

const CLOSED = { unevaluatedProperties: false };
const isList = ({ type }: Schema) => type === 'array';

/** Those that this process has read, by their text: checks of requests and answers are compiled once. */
const read = new Map<string, Description>();

/** The served description, and what it says of requests and answers. */
export class Description {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false });

  #found: (ReturnType<Description['operations']>[number] & { readonly pattern: RegExp })[] | undefined;

  constructor(readonly document: Document) {
    this.#ajv.addSchema(answersClosed(document) as unknown as AnySchema, 'doc');
  }

  /** Fetches it from a server. */
  static async of(url: string): Promise<Description> {
    const text = await (await fetch(`${url}/openapi.json`)).text();
    const known = read.get(text) ?? new Description(readJson(text) as Document);
    read.set(text, known);
    return known;
  }

  /** A part of the document, or the one that it refers to. */
  resolved(part: object | undefined): object {
    const { $ref } = (part ?? {}) as { $ref?: string };
    return $ref === undefined ? (part ?? {}) : (this.#at($ref.slice('#/'.length).split('/')) as object);
  }

  /** Every operation: `GET /wallets/{id}`. */
  operations(): {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    readonly operation: Operation;
  }[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => ({
        name: `${method.toUpperCase()} ${path}`,
        method,
        path,
        operation: item[method] as Operation,
      })),
    );
  }

  /** The errors of a request body, given the path in the document's form; nothing when it is as documented. */
  requestErrors(method: string, path: string, body: unknown): unknown {
    return this.#errors(['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'], body);
  }

  /**
   * What is wrong with an answer by the description: a status that is not documented, or a body of another shape, which
   * includes a reason that is not listed for the operation. Nothing when it is as documented.
   *
   * @param path as requested, without the query
   */
  answerErrors(method: string, path: string, status: number, body: unknown): unknown {
    const found = this.find(method.toLowerCase(), path);
    if (!found) return `${method} ${path} is not documented`;
    const response = found.operation.responses[status] as { $ref?: string } | undefined;
    if (!response) return `${status} is not documented for ${found.name}: ${JSON.stringify(body)}`;
    if (status === 204 || status === 202) return body === null ? undefined : `a ${status} has no body`;
    const at = response.$ref
      ? response.$ref.slice('#/'.length).split('/')
      : ['paths', found.path, found.method, 'responses', String(status)];
    return this.#errors([...at, 'content', 'application/json', 'schema'], body);
  }

  /** The operation that serves a method and a path without its query. */
  find(method: string, path: string) {
    return this.#patterns().find((one) => one.method === method && one.pattern.test(path));
  }

  /** Every operation with a pattern of its path. A literal path wins over one with parameters. */
  #patterns() {
    this.#found ??= this.operations()
      .sort((one, other) => one.path.split('{').length - other.path.split('{').length)
      .map((one) => {
        const pattern = one.path.replace(/[.!$]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
        return { ...one, pattern: new RegExp(`^${pattern}$`) };
      });
    return this.#found;
  }

  /** What the document holds at a place. */
  #at(place: readonly string[]): unknown {
    return place.reduce(
      (value: unknown, step) => (value as Record<string, unknown> | undefined)?.[step],
      this.document,
    );
  }

  #errors(place: readonly string[], value: unknown): unknown {
    // Many operations answer with the same component, which is compiled once.
    const { $ref } = (this.#at(place) ?? {}) as { $ref?: string };
    const steps = $ref?.startsWith('#/') ? $ref.slice('#/'.length).split('/') : place;
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.#ajv.getSchema(`doc#/${pointer}`);
    if (!validate) return `nothing is documented at ${steps.join(' ')}`;
    return validate(value) ? undefined : validate.errors;
  }
}
