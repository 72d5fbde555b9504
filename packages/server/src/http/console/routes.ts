import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PACKAGE } from '../../base/package.js';
import type { HttpService } from '../http-service.js';
import { StaticFiles } from '../static/files.js';
import { pageHeaders } from '../static/policy.js';

/** The page itself; every other file has the hash of its content in its name. */
const CONSOLE_PAGE = 'index.html';

const NOT_BUILT = 'The console was not built: npm start, npm test and npm run pack build it.\n';

/**
 * Serves the console at `/console/` from files that were built before.
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
  const files = new StaticFiles(consoleFolder());
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    if (files.has(name)) return files.send(request, reply, name, headers);
    if (name !== CONSOLE_PAGE) return notFound(request, reply);
    return reply.code(503).type('text/plain; charset=utf-8').send(NOT_BUILT);
  };
  app.get('/console', async (request, reply) => {
    const [path = '', query] = request.url.split('?');
    // Links of the page are relative to a path with a slash at its end.
    if (path.endsWith('/')) return send(request, reply, CONSOLE_PAGE);
    return reply.redirect(`console/${query === undefined ? '' : `?${query}`}`, 308);
  });
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    return send(request, reply, request.params['*'] || CONSOLE_PAGE);
  });
}

/** The folder of the files: of the package beside this one, or in a clone that of its build. */
function consoleFolder(): string | undefined {
  try {
    return join(dirname(createRequire(PACKAGE).resolve('@countersign/console/package.json')), 'dist');
  } catch {
    return undefined;
  }
}

/**
 * What a browser may do with the page: run its scripts, and ask this server and those of the setting.
 *
 * @param servers origins
 */
function headersFor(servers: readonly string[]): Record<string, string> {
  return {
    ...pageHeaders({
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': ["'self'", ...servers].join(' '),
      'require-trusted-types-for': "'script'",
      'trusted-types': "'none'",
    }),
    'cross-origin-opener-policy': 'same-origin',
  };
}
