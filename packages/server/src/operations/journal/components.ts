import { type ComponentsOfAnswers, component } from '../operation.js';

const textAbout = (description: string) => ({ type: 'string', description });

const PARAMS = {
  type: 'object',
  required: ['method', 'url', 'headers', 'from', 'moment'],
  properties: {
    method: { type: 'string' },
    url: textAbout(
      'The path, with luids; the name of a parameter in braces stands for a handle that led to no record.',
    ),
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: textAbout('JSON with `hash` and `luid` of the body that was sent, as far as it has them.'),
    from: textAbout('The address of the client, of IPv6 the network.'),
    key: textAbout("The caller's public key."),
    isFactor: { type: 'boolean', enum: [true], description: 'The key is that of a factor.' },
    moment: component('moment'),
  },
};

const RESULT_SCHEMA = {
  type: 'object',
  required: ['status', 'moment'],
  properties: {
    status: { type: 'integer', minimum: 200, description: 'The HTTP status of the answer.' },
    body: textAbout(
      'JSON with what the answer is about: `luid` and `meta.change` of what was stored, or `data.reason`.',
    ),
    moment: component('moment'),
  },
};

const ENTRY_SCHEMA = {
  type: 'object',
  required: ['hash', 'data', 'luid', 'meta'],
  properties: {
    hash: component('hash'),
    data: {
      type: 'object',
      required: ['handle', 'schema', 'record', 'action', 'source', 'target', 'params', 'result'],
      properties: {
        handle: { type: 'string', pattern: '^[A-Za-z0-9_-]{17}$' },
        schema: { type: 'string', enum: ['rest'] },
        record: textAbout('What was asked for, as rules name it.'),
        action: { type: 'string' },
        source: { type: ['string', 'null'], description: '`signer:<handle>`; null for a caller who is not a signer.' },
        target: textAbout('`ledger:<handle>`.'),
        params: PARAMS,
        result: RESULT_SCHEMA,
        dropped: { type: 'integer', minimum: 1, description: 'Entries before this one that were left out.' },
      },
    },
    luid: component('luid'),
    meta: {
      type: 'object',
      required: ['proofs', 'status', 'moment'],
      properties: {
        proofs: { type: 'array', items: component('proof') },
        status: { type: 'string', enum: ['completed', 'rejected', 'failed'] },
        moment: component('moment'),
      },
    },
  },
};

/** The OpenAPI components of entries and their pages. */
export const entryComponents: ComponentsOfAnswers = {
  'request-entry': ENTRY_SCHEMA,
  'request-entry-list': {
    type: 'object',
    required: ['hash', 'meta', 'data', 'page'],
    properties: {
      hash: component('hash'),
      meta: component('answer-meta'),
      data: { type: 'array', items: component('request-entry') },
      page: component('page'),
    },
  },
};
