import { filterLimits } from '../../access/filter-limits.js';
import type { Kind } from '../../kinds/kind.js';
import {
  filterableMembers,
  OF_BALANCES,
  OF_CHANGES,
  OF_DELIVERIES,
  OF_LIMITS,
  OF_REQUESTS,
} from '../../lists/filters.js';
import type { QueryParameter } from '../../operations/operation.js';
import { type Route, recordRoutes } from '../routes.js';
import { describeGuide } from './guides.js';
import { operationId, summary } from './names.js';
import { familyOf, isForwarded, refusals } from './reasons.js';
import { oneOfTexts, ref, type Schema } from './schemas.js';

/**
 * Every route of every kind: path -> method -> operation.
 *
 * @param guides where the guides are served
 */
export function recordPaths(guides: string): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of recordRoutes()) {
    const path = formatPath(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, guides) };
  }
  return paths;
}

/** The path in OpenAPI's form; the first parameter of a nested path is named after the member of data it equals. */
function formatPath({ path, kind }: Route): string {
  return path.replace(':parent', `:${kind.links.under?.member}`).replace(/:(\w+)/g, '{$1}');
}

function describeOperation(route: Route, guides: string): object {
  const { kind, operation } = route;
  const body = operation.description.body?.(kind);
  return {
    operationId: operationId(route),
    summary: summary(route),
    tags: [kind.title],
    parameters: describeParameters(route),
    ...(body ? { requestBody: jsonBody(body) } : {}),
    ...describeRoute(route, guides),
    responses: { ...success(route), ...refusals(familyOf(route)) },
  };
}

/** The description of an operation, with the right that it asks for, and what forwarding adds. */
function describeRoute(route: Route, guides: string): object {
  const { asks } = route.operation;
  const { text, externalDocs } = describeGuide(route, guides);
  const right = asks ? `Asks for the right to \`${asks.action}\` \`${asks.record}\`.` : '';
  const notes = [text, right, isForwarded(route) ? FORWARDING_NOTE : ''].filter((note) => note !== '');
  return { description: notes.join('\n\n'), ...(externalDocs ? { externalDocs } : {}) };
}

const FORWARDING_NOTE =
  'Processing policies may hand this over to a bridge. An error that the bridge has signed is passed on with its status and reason, whichever they are, and signed by the ledger too. A record that only the bridge keeps is answered as it gave it: its `meta` may hold proofs alone.';

/** A JSON body of the component called `name`. */
export function jsonBody(name: string): object {
  return { required: true, content: { 'application/json': { schema: ref(name) } } };
}

/** A JSON answer. */
export function jsonAnswer(description: string, schema: Schema): object {
  return { description, content: { 'application/json': { schema } } };
}

function success({ kind, operation }: Route): object {
  return Object.fromEntries(
    Object.entries(operation.description.answers(kind)).map(([status, { text, component, isFile }]) => {
      if (isFile) return [status, fileAnswer(text)];
      return [status, component === undefined ? { description: text } : jsonAnswer(text, ref(component))];
    }),
  );
}

/** An answer that is a file to be saved. */
function fileAnswer(description: string): object {
  const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
  const disposition = { description: '`attachment`, with the name of the file.', schema: { type: 'string' } };
  return {
    description,
    headers: { 'content-disposition': disposition },
    content: { 'application/octet-stream': { schema } },
  };
}

function describeParameters({ kind, operation, path, of }: Route): object[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  return [
    ...names.map((name) => (name === 'id' && of === 'address' ? address(kind) : pathParameter(kind, name))),
    // The alias of older clients names the ledger in its path.
    ...(names.includes('ledger') ? [] : [{ $ref: '#/components/parameters/ledger' }]),
    ...(operation.description.parameters ?? []).flatMap((parameter) => PARAMETER_SCHEMAS[parameter](kind)),
  ];
}

/** Shows secrets to callers with the right `reveal` (interface/signers#secrets). */
const INCLUDE_PARAMETER = {
  name: 'include',
  in: 'query',
  schema: oneOfTexts(['meta.secret']),
  description: 'Adds the values of secrets, as `meta.secret`, for who may `reveal` them; also taken as `include[0]`.',
};

/** Filters by a few members: of changes, deliveries, balances and limits. */
function fewFilters(members: readonly string[]): object {
  return {
    name: 'filters',
    in: 'query',
    style: 'form',
    explode: true,
    description: 'One parameter for each filter, with the operators of lists. Other filters of lists are refused.',
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        members.map((member) => [member, { type: 'string', maxLength: filterLimits.characters }]),
      ),
      additionalProperties: { type: 'string' },
    },
  };
}

/** The parameters that choose a page of a list (interface/lists#pages). */
export const PAGE_PARAMETERS = [{ $ref: '#/components/parameters/index' }, { $ref: '#/components/parameters/limit' }];

const PARAMETER_SCHEMAS: Readonly<Record<QueryParameter, (kind: Kind) => readonly object[]>> = {
  page: () => PAGE_PARAMETERS,
  filters: (kind) => [describeFilters(kind)],
  'change-filters': () => [fewFilters(OF_CHANGES)],
  'delivery-filters': () => [fewFilters(OF_DELIVERIES)],
  'balance-filters': () => [fewFilters(OF_BALANCES)],
  'limit-filters': () => [fewFilters(OF_LIMITS)],
  'journal-filters': () => [fewFilters(OF_REQUESTS)],
  trees: () => [leaves('from', true, 'older'), leaves('to', false, 'newer; the one that is shown now, unless given')],
  include: (kind) => (kind.secrets.reveals === undefined ? [] : [INCLUDE_PARAMETER]),
};

/** A tree of a log, by its size. */
function leaves(name: string, required: boolean, which: string): object {
  return {
    name,
    in: 'query',
    required,
    schema: { type: 'integer', minimum: 1 },
    description: `Leaves of the tree: the ${which}.`,
  };
}

function address({ name }: Kind): object {
  const description = `What leads to the ${name}: its handle or luid, or an address such as \`schema:name@${name}\`.`;
  return { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description };
}

function pathParameter(kind: Kind, name: string): object {
  const parameter = { name: name === 'parent' ? kind.links.under?.member : name, in: 'path', required: true };
  if (name === 'change') {
    return { ...parameter, schema: { type: 'integer', minimum: 1 }, description: 'Number of the version.' };
  }
  if (name === 'event') {
    return { ...parameter, schema: { type: 'string' }, description: 'Handle or luid of the delivery.' };
  }
  if (name === 'request') {
    return { ...parameter, schema: { type: 'string' }, description: 'Handle or luid of the entry.' };
  }
  if (name === 'asset') return { ...parameter, schema: { type: 'string' }, description: 'Handle of the asset.' };
  const of = name === 'parent' ? kind.links.under?.kind : kind.name;
  return { ...parameter, schema: { type: 'string' }, description: `Handle or luid of the ${of?.replace('-', ' ')}.` };
}

/**
 * Filters are members of one free-form parameter, each a parameter of the query by itself (interface/lists#filters).
 */
export function describeFilters(kind: Kind): object {
  const value: Schema = { type: 'string', maxLength: filterLimits.characters };
  return {
    name: 'filters',
    in: 'query',
    style: 'form',
    explode: true,
    description: [
      'One parameter for each filter, all of which must match: `data.handle=a`, `data.custom.rank.$gte=10`,',
      '`data.handle.$in[0]=a&data.handle.$in[1]=b`. Operators: `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`,',
      '`$nin`, and `$regex`, which takes text with `.*` or `%` for any run and `.` or `_` for one character.',
    ].join(' '),
    schema: {
      type: 'object',
      properties: Object.fromEntries(filterableMembers(kind).map((member) => [member, value])),
      patternProperties: { '^data[.]custom[.]': value },
      additionalProperties: { type: 'string' },
    },
  };
}
