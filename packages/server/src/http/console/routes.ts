import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpService } from '../http-service.js';
import { knows } from '../pages/html.js';
import { type ConsoleFile, readConsole } from './files.js';

/** The page itself; every other file has the hash of its content in its name. */
const PAGE = 'index.html';

const NOT_BUILT = 'The console was not built: npm start, npm test and npm run pack build it.\n';

/**
 * Serves the console at `/console/` from files that were built before. They are read at the first request.
 *
 * @param notFound what every other request gets
 */
export function consoleRoutes(
  app: FastifyInstance,
  { consoleServers }: HttpService,
  notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  if (consoleServers === undefined) return;
  const headers = headersFor(consoleServers);
  let files: ReadonlyMap<string, ConsoleFile> | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    files ??= readConsole();
    const file = files.get(name);
    if (file) return sendConsoleFile(request, reply.headers(headers), name, file);
    if (name !== PAGE || files.size > 0) return notFound(request, reply);
    return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
  };
  app.get('/console', async (request, reply) => {
    const [path = '', query] = request.url.split('?');
    // Links of the page are relative to a path with a slash at its end.
    if (path.endsWith('/')) return send(request, reply, PAGE);
    return reply.redirect(`console/${query === undefined ? '' : `?${query}`}`, 308);
  });
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    return send(request, reply, request.params['*'] || PAGE);
  });
}

function sendConsoleFile(request: FastifyRequest, reply: FastifyReply, name: string, file: ConsoleFile): FastifyReply {
  const { type, etag, plain, br, gzip } = file;
  const accepted = String(request.headers['accept-encoding'] ?? '');
  const [coding, body] =
    br && /\bbr\b/.test(accepted)
      ? ['br', br]
      : gzip && /\bgzip\b/.test(accepted)
        ? ['gzip', gzip]
        : [undefined, plain];
  reply.headers({
    etag,
    vary: 'accept-encoding',
    'content-type': type,
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (coding !== undefined) reply.header('content-encoding', coding);
  return knows(request, etag) ? reply.code(304).send() : reply.send(body);
}

/**
 * What a browser may do with the page: run its scripts, and ask this server and those of the setting.
 *
 * @param servers origins
 */
function headersFor(servers: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ['connect-src', "'self'", ...servers].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };
}
