import { kindNamed } from '../../kinds/registry.js';
import { JOURNAL } from '../journal.js';
import { errorResponse, refusals } from './reasons.js';
import { filters, jsonAnswer, jsonBody, PAGE } from './record-routes.js';
import { object, openObject, ref, text } from './schemas.js';

type Paths = Record<string, Record<string, unknown>>;

/** The routes about the server itself, outside every ledger. Metrics and probes lie above the base path. */
export function describeServerRoutes(publicUrl: string): Paths {
  const above = [{ url: publicUrl.replace(/\/v2$/, '') || '/' }];
  const status = (status: string) => object({ status: { ...text, const: status } });
  return {
    '/metrics': {
      servers: above,
      get: about('readMetrics', 'Read what is counted of all processes', {
        200: {
          description: 'In the text format of Prometheus.',
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
      }),
    },
    '/': {
      get: about('readServer', 'Read what server this is', {
        200: jsonAnswer('Hashed, not signed.', ref('server-information')),
      }),
    },
    '/openapi.json': {
      get: about('readOpenApi', 'Read this description', {
        200: jsonAnswer('OpenAPI 3.1.', object({ openapi: text, info: openObject, paths: openObject })),
      }),
    },
    '/health/live': {
      servers: above,
      get: about('readLiveness', 'Ask whether the process answers', { 200: jsonAnswer('It does.', status('UP')) }),
    },
    '/health/ready': {
      servers: above,
      get: about('readReadiness', 'Ask whether the server can serve', {
        200: jsonAnswer('It can.', status('UP')),
        503: jsonAnswer('The database cannot be reached.', status('DOWN')),
      }),
    },
  };
}

/** The routes of the journal of requests, which this release refuses (interface/ledgers#server-information). */
export function journal(): Paths {
  const get = (operationId: string, summary: string, parameters: object[]) => ({
    get: {
      operationId,
      summary,
      tags: ['Journal'],
      parameters: [...parameters, { $ref: '#/components/parameters/ledger' }],
      responses: refusals('journal'),
    },
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'Handle or luid.' };
  const [requests = '', request = ''] = JOURNAL.map((path) => path.replace(':id', '{id}'));
  return {
    [requests]: get('readJournal', 'Is told that no requests are kept', []),
    [request]: get('readJournalRequest', 'Is told that no requests are kept', [id]),
  };
}

/** The collection of ledgers: outside every ledger, and refused when one is named (interface/ledgers#list-ledgers). */
export function ledgerCollection(): Paths {
  const tags = ['Ledger'];
  return {
    '/ledgers': {
      get: {
        operationId: 'listLedgers',
        summary: "List the ledgers that the token's key owns",
        tags,
        security: [{ bearer: [] }],
        parameters: [...PAGE, filters(kindNamed('ledger'))],
        responses: {
          200: jsonAnswer('A page of ledgers, unsigned.', ref('ledger-list')),
          ...refusals('list-ledgers'),
        },
      },
      post: {
        operationId: 'createLedger',
        summary: 'Create a ledger, whose owners are those who sign the request',
        tags,
        requestBody: jsonBody('ledger-create'),
        responses: {
          200: jsonAnswer('The ledger as it is: the same signed body made it before.', ref('ledger')),
          201: jsonAnswer('The ledger, countersigned by its own system signer.', ref('ledger')),
          ...refusals('create-ledger'),
        },
      },
    },
  };
}

function about(operationId: string, summary: string, responses: object): object {
  return {
    operationId,
    summary,
    tags: ['Server'],
    security: [],
    responses: { ...responses, 500: errorResponse(['api.unexpected-error']) },
  };
}
