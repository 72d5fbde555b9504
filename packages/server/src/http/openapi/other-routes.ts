import { kindNamed } from '../../kinds/registry.js';
import { errorResponse, refusals } from './reasons.js';
import { describeFilters, jsonAnswer, jsonBody, PAGE_PARAMETERS } from './record-routes.js';
import { object, oneOfTexts, openObject, ref, textSchema, wholeNumber } from './schemas.js';

type Paths = Record<string, Record<string, unknown>>;

/** The routes about the server itself, outside every ledger. Probes lie above the base path. */
export function describeServerRoutes(publicUrl: string): Paths {
  const above = [{ url: publicUrl.replace(/\/v2$/, '') || '/' }];
  const status = (status: string) => object({ status: { ...textSchema, const: status } });
  const logsStopped = {
    ...wholeNumber(1),
    description:
      'How many logs are stopped, since the database contradicts what was shown of them. Absent where none is.',
  };
  const up = object({ status: { ...textSchema, const: 'UP' }, logsStopped }, ['logsStopped']);
  const readiness = {
    200: jsonAnswer('It can.', up),
    503: jsonAnswer(
      'The database cannot be reached, or an operator drains the server.',
      object({ status: oneOfTexts(['DOWN', 'DRAINING']) }),
    ),
  };
  return {
    '/': {
      get: about(
        'readServer',
        'Read what server this is',
        'The release of the interface, the build, and the public URL that tokens are bound to.',
        {
          200: jsonAnswer('Hashed, not signed.', ref('server-information')),
        },
      ),
    },
    '/openapi.json': {
      get: about(
        'readOpenApi',
        'Read this description',
        'Made by the running server, so it matches what is served. `etag` spares a second download.',
        {
          200: jsonAnswer('OpenAPI 3.1.', object({ openapi: textSchema, info: openObject, paths: openObject })),
        },
      ),
    },
    '/health': {
      servers: above,
      get: about('readHealth', 'Ask whether the server can serve', 'The same as `/health/ready`.', readiness),
    },
    '/health/live': {
      servers: above,
      get: about(
        'readLiveness',
        'Ask whether the process answers',
        'A probe for operators: it fails only where the process must be replaced.',
        { 200: jsonAnswer('It does.', status('UP')) },
      ),
    },
    '/health/ready': {
      servers: above,
      get: about(
        'readReadiness',
        'Ask whether the server can serve',
        'A probe for operators: it fails while the database is out of reach, by the latest look of a second ago.',
        readiness,
      ),
    },
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
        description: 'Outside every ledger: `x-ledger` is refused, and the answer is unsigned.',
        tags,
        security: [{ bearer: [] }],
        parameters: [...PAGE_PARAMETERS, describeFilters(kindNamed('ledger'))],
        responses: {
          200: jsonAnswer('A page of ledgers, unsigned.', ref('ledger-list')),
          ...refusals('list-ledgers'),
        },
      },
      post: {
        operationId: 'createLedger',
        summary: 'Create a ledger, whose owners are those who sign the request',
        description:
          'Outside every ledger: `x-ledger` is refused. The last proof of the answer is by the key of the new ledger: keep it. The code of an ' +
          'invitation by the operator may be sent as the bearer token.',
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

function about(operationId: string, summary: string, description: string, responses: object): object {
  return {
    operationId,
    summary,
    description,
    tags: ['Server'],
    security: [],
    responses: {
      ...responses,
      400: errorResponse(['api.body-malformed']),
      500: errorResponse(['api.unexpected-error']),
    },
  };
}
