import { refusals } from './reasons.js';

/** The routes of logs, for clients of C2SP tlog-tiles, who know nothing of ledgers (interface/log#routes). */
export function describeLogRoutes(publicUrl: string): Record<string, Record<string, unknown>> {
  const servers = [{ url: publicUrl.replace(/\/v2$/, '') || '/' }];
  const route = (
    operationId: string,
    summary: string,
    description: string,
    names: readonly string[],
    answer: object,
  ) => ({
    servers,
    get: {
      operationId,
      summary,
      description: `${description} After the first generation its number stands behind \`{id}\`.`,
      tags: ['Log'],
      parameters: names.map((name) => parameter(name)),
      responses: {
        200: answer,
        304: { description: 'The client has it: `if-none-match` names its `etag`.' },
        ...refusals('read-log'),
      },
    },
  });
  return {
    '/log/{id}/checkpoint': route(
      'readCheckpoint',
      'Read the newest checkpoint of a log',
      'What the ledger has signed of its tree: the name of the log, its size and its root.',
      ['id'],
      textAnswer('A signed note (C2SP tlog-checkpoint).'),
    ),
    '/log/{id}/vkeys': route(
      'readLogKeys',
      'Read the keys of a log',
      'What its checkpoints are verified with. Compare them with what you know of the ledger.',
      ['id'],
      textAnswer('A verifier key on each line (C2SP signed-note).'),
    ),
    '/log/{id}/tile/{level}/{index}': route(
      'readTile',
      'Read hashes of a log',
      'A tile of 256 hashes, or a part of one (C2SP tlog-tiles).',
      ['id', 'level', 'index'],
      bytesAnswer('32 bytes for each hash.'),
    ),
    '/log/{id}/tile/entries/{index}': route(
      'readEntries',
      'Read entries of a log',
      'The commitments of 256 changes, or of fewer (C2SP tlog-tiles).',
      ['id', 'index'],
      bytesAnswer('Each entry after its length.'),
    ),
  };
}

const LOG_PARAMETERS: Readonly<Record<string, object>> = {
  id: { schema: { type: 'string' }, description: 'Luid of the ledger without its `$`.' },
  level: { schema: { type: 'integer', minimum: 0, maximum: 5 }, description: 'Level of the tile.' },
  index: {
    schema: { type: 'string' },
    description: 'Number of the tile, as `x001/x234/067`; of a part of one `x001/x234/067.p/8`, with its width.',
  },
};

function parameter(name: string): object {
  return { name, in: 'path', required: true, ...LOG_PARAMETERS[name] };
}

function textAnswer(description: string): object {
  return { description, headers: LOG_HEADERS, content: { 'text/plain': { schema: { type: 'string' } } } };
}

function bytesAnswer(description: string): object {
  const schema = { type: 'string', contentMediaType: 'application/octet-stream' };
  return { description, headers: LOG_HEADERS, content: { 'application/octet-stream': { schema } } };
}

const LOG_HEADERS = {
  'cache-control': {
    description: '`public` of a log that is open to all, else `private`; how long it may be kept.',
    schema: { type: 'string' },
  },
  etag: { description: 'What `if-none-match` may name.', schema: { type: 'string' } },
};
