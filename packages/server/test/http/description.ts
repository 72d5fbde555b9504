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

/** The served description, and what it says of requests and answers. */
export class Description {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(readonly document: Document) {
    this.#ajv.addSchema(document as unknown as AnySchema, 'doc');
  }

  /** Fetches it from a server. */
  static async of(url: string): Promise<Description> {
    return new Description((await (await fetch(`${url}/openapi.json`)).json()) as Document);
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
    const found = this.#find(method.toLowerCase(), path);
    if (!found) return `${method} ${path} is not documented`;
    const response = found.operation.responses[status] as { $ref?: string } | undefined;
    if (!response) return `${status} is not documented for ${found.name}: ${JSON.stringify(body)}`;
    if (status === 204) return body === null ? undefined : 'a 204 has no body';
    const at = response.$ref
      ? response.$ref.slice('#/'.length).split('/')
      : ['paths', found.path, found.method, 'responses', String(status)];
    return this.#errors([...at, 'content', 'application/json', 'schema'], body);
  }

  #find(method: string, path: string) {
    const matching = this.operations().filter((one) => {
      const pattern = one.path.replace(/[.!$]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+');
      return one.method === method && new RegExp(`^${pattern}$`).test(path);
    });
    // A literal path wins over one with parameters.
    return matching.sort((one, other) => one.path.split('{').length - other.path.split('{').length)[0];
  }

  #errors(steps: readonly string[], value: unknown): unknown {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const validate = this.#ajv.getSchema(`doc#/${pointer}`);
    if (!validate) return `nothing is documented at ${steps.join(' ')}`;
    return validate(value) ? undefined : validate.errors;
  }
}
