import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import { type Described, isPart, mediaOf, operationsOf, type Part, parametersOf, schemasOf, textsOf } from './parts.js';

/** The faults that a rule finds, by their places. */
type Rule = (document: Part) => string[] | Promise<string[]>;

/**
 * What each of Spectral's recommended rules for OpenAPI 3.1 (`spectral:oas`) asks for, by its name. Those for other
 * versions are left out: `no-$ref-siblings` is for 3.0.
 */
export const SPECTRAL: Readonly<Record<string, Rule>> = {
  'operation-success-response': eachOperation(({ operation }) =>
    keysOf(operation.responses).some((one) => /^[23]/.test(one)),
  ),
  'operation-operationId-unique': (document) =>
    repeated(operationsOf(document).map(({ operation }) => operation.operationId)),
  'operation-parameters': eachOperation(({ operation }, document) => {
    return repeated(parametersOf(document, operation).map(({ name, in: where }) => `${where} ${name}`)).length === 0;
  }),
  'operation-tag-defined': eachOperation(({ operation }, { tags }) =>
    list(operation.tags).every((tag) => list(tags).some((one) => isPart(one) && one.name === tag)),
  ),
  'path-params': pathParameters,
  'duplicated-entry-in-enum': eachSchema(({ enum: values }) => repeated(list(values)).length === 0),
  'info-contact': ({ info }) => (isPart(info) && isPart(info.contact) ? [] : ['info']),
  'info-description': ({ info }) => (isPart(info) && info.description ? [] : ['info']),
  'no-eval-in-markdown': eachText((text) => !text.includes('eval(')),
  'no-script-tags-in-markdown': eachText((text) => !/<script/i.test(text)),
  'openapi-tags-uniqueness': ({ tags }) => repeated(list(tags).map((one) => isPart(one) && one.name)),
  'operation-description': eachOperation(({ operation }) => Boolean(operation.description)),
  'operation-operationId': eachOperation(({ operation }) => Boolean(operation.operationId)),
  'operation-operationId-valid-in-url': eachOperation(({ operation }) =>
    /^[A-Za-z0-9-._~:/?#[\]@!$&'()*+,;=]*$/.test(String(operation.operationId)),
  ),
  'operation-tags': eachOperation(({ operation }) => list(operation.tags).length > 0),
  'path-declarations-must-exist': ({ paths }) => keysOf(paths).filter((path) => path.includes('{}')),
  'path-keys-no-trailing-slash': ({ paths }) => keysOf(paths).filter((path) => /.\/$/.test(path)),
  'path-not-include-query': ({ paths }) => keysOf(paths).filter((path) => path.includes('?')),
  'array-items': eachSchema(({ type, items }) => type !== 'array' || items !== undefined),
  'typed-enum': eachSchema(
    ({ type, enum: values }) => type === undefined || list(values).every((one) => isOf(type, one)),
  ),
  'oas3-api-servers': ({ servers }) => (list(servers).length > 0 ? [] : ['servers']),
  'oas3-examples-value-or-externalValue': (document) =>
    mediaOf(document)
      .filter(({ media }) => partsOf(media.examples).some((one) => 'value' in one === 'externalValue' in one))
      .map(({ at }) => at),
  'oas3-operation-security-defined': securityDefined,
  'oas3-server-trailing-slash': ({ servers }) => serversOf(servers).filter((url) => /.\/$/.test(url)),
  'oas3-valid-media-example': validMedia,
  'oas3-valid-schema-example': validSchemas,
  'oas3-schema': async (document) => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    return valid ? [] : [JSON.stringify(errors)];
  },
  'oas3-unused-component': unusedComponents,
  'oas3-server-variables': ({ servers }) =>
    list(servers).flatMap((one) => (isPart(one) && hasItsVariables(one) ? [] : ['servers'])),
  'oas3-callbacks-in-callbacks': (document) =>
    operationsOf(document).flatMap(({ at, operation }) => (hasInnerCallbacks(operation.callbacks) ? [at] : [])),
  'oas3_1-servers-in-webhook': eachOperation(({ operation, item, isWebhook }) => {
    return !isWebhook || (operation.servers === undefined && item.servers === undefined);
  }),
  'oas3_1-callbacks-in-webhook': eachOperation(
    ({ operation, isWebhook }) => !isWebhook || operation.callbacks === undefined,
  ),
};

function eachOperation(holds: (described: Described, document: Part) => boolean): Rule {
  return (document) =>
    operationsOf(document)
      .filter((one) => !holds(one, document))
      .map(({ at }) => at);
}

function eachSchema(holds: (schema: Part) => boolean): Rule {
  return (document) =>
    schemasOf(document)
      .filter(({ schema }) => !holds(schema))
      .map(({ at }) => at);
}

function eachText(holds: (text: string) => boolean): Rule {
  return (document) =>
    textsOf(document)
      .filter(({ text }) => !holds(text))
      .map(({ at }) => at);
}

/** Each parameter of a path is declared, required and used, and no two paths differ by the names of parameters alone. */
function pathParameters(document: Part): string[] {
  const shapes = keysOf(document.paths).map((path) => path.replace(/\{\w*\}/g, '{}'));
  const wrong = operationsOf(document).filter(({ path, operation, item, isWebhook }) => {
    if (isWebhook) return false;
    const used = [...path.matchAll(/\{(\w*)\}/g)].map(([, name]) => name);
    const declared = [...parametersOf(document, item), ...parametersOf(document, operation)].filter(
      (one) => one.in === 'path',
    );
    const names = declared.map(({ name }) => name);
    const isSame = used.length === names.length && used.every((name) => names.includes(name));
    return !isSame || repeated(used).length > 0 || declared.some(({ required }) => required !== true);
  });
  return [...repeated(shapes), ...wrong.map(({ at }) => at)];
}

function securityDefined(document: Part): string[] {
  const { securitySchemes } = isPart(document.components) ? document.components : {};
  const known = keysOf(securitySchemes);
  const places = [
    { at: 'security', security: document.security },
    ...operationsOf(document).map(({ at, operation }) => ({ at, security: operation.security })),
  ];
  return places
    .filter(({ security }) => list(security).some((one) => keysOf(one).some((name) => !known.includes(name))))
    .map(({ at }) => at);
}

/** Compiles the schema at a place of the document. */
function compiled(document: Part): (at: string) => (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false });
  ajv.addSchema(document as AnySchema, 'doc');
  return (at) => {
    const found = ajv.getSchema(`doc#${at}`);
    if (found === undefined) throw new Error(`No schema is at ${at}`);
    return (value) => found(value) === true;
  };
}

function validMedia(document: Part): string[] {
  const at = compiled(document);
  return mediaOf(document).flatMap(({ at: place, media }) => {
    const given = [
      ...(media.example === undefined ? [] : [media.example]),
      ...partsOf(media.examples).map(({ value }) => value),
    ];
    if (given.length === 0 || !isPart(media.schema)) return [];
    const { $ref } = media.schema;
    const isValid = at(typeof $ref === 'string' ? $ref.slice(1) : `${place}/schema`);
    return given.every(isValid) ? [] : [place];
  });
}

function validSchemas(document: Part): string[] {
  const at = compiled(document);
  return schemasOf(document).flatMap(({ at: place, schema }) => {
    const given = [schema.example, schema.default].filter((one) => one !== undefined);
    return given.every((one) => at(place)(one)) ? [] : [place];
  });
}

/** Components that nothing refers to, but for security schemes, which are named. */
function unusedComponents(document: Part): string[] {
  const text = JSON.stringify(document);
  return Object.entries(isPart(document.components) ? document.components : {})
    .filter(([group]) => group !== 'securitySchemes')
    .flatMap(([group, parts]) => keysOf(parts).map((name) => `#/components/${group}/${name}`))
    .filter((reference) => !text.includes(`"$ref":"${reference}"`));
}

function hasItsVariables({ url, variables }: Part): boolean {
  const used = [...String(url).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const declared = isPart(variables) ? Object.entries(variables) : [];
  const isWhole = declared.every(([name, one]) => used.includes(name) && isPart(one) && one.default !== undefined);
  return isWhole && used.length === declared.length;
}

function hasInnerCallbacks(callbacks: unknown): boolean {
  return partsOf(callbacks).some((callback) =>
    partsOf(callback).some((item) => partsOf(item).some((operation) => operation.callbacks !== undefined)),
  );
}

function isOf(type: unknown, value: unknown): boolean {
  return list(Array.isArray(type) ? type : [type]).some((one) => {
    if (one === 'null') return value === null;
    if (one === 'array') return Array.isArray(value);
    if (one === 'integer') return Number.isInteger(value);
    return one === 'object' ? isPart(value) : typeof value === one;
  });
}

function repeated(values: readonly unknown[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index).map(String);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function keysOf(value: unknown): string[] {
  return isPart(value) ? Object.keys(value) : [];
}

function partsOf(value: unknown): Part[] {
  return isPart(value) ? Object.values(value).filter(isPart) : [];
}

function serversOf(servers: unknown): string[] {
  return list(servers).map((one) => (isPart(one) ? String(one.url) : ''));
}
