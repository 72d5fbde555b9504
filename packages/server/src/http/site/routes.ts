import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { prefers } from '../../base/accept.js';
import { PACKAGE } from '../../base/package.js';
import type { HttpService } from '../http-service.js';
import { StaticFiles } from '../static/files.js';
import { pageHeaders } from '../static/policy.js';
import { sendable, sendText } from '../static/sendable.js';
import { docsMissing, home, PLAIN_PAGE } from './home.js';

/** Where the documentation is: within the package as it is published, else where the repository makes it. */
const FOLDERS = ['docs/', '../../tools/site/dist/'].map((path) => fileURLToPath(new URL(path, PACKAGE)));

const HTML = 'text/html';

/** The first page of a folder. */
const INDEX_PAGE = 'index.html';

/** Scripts of the site itself: they fetch its own files, and make HTML by the templates of Vue alone. */
const SITE_HEADERS = pageHeaders({
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'vue',
});

/**
 * The pages for people: `/` for browsers, and the documentation below `/docs/`.
 *
 * @param notFound what every other request gets
 */
export function siteRoutes(
  app: FastifyInstance,
  service: HttpService,
  notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    // Browsers ask for HTML first; other clients do not.
    if (!prefers(request.headers.accept, HTML, 'application/json')) return notFound(request, reply);
    const { name, publicUrl, build, readiness, consoleServers } = service;
    const hasConsole = consoleServers !== undefined;
    const page = home({ name, publicUrl, build, hasConsole, isReady: readiness.isReady() });
    return sendText(request, reply.headers(PLAIN_PAGE), HTML, sendable(page));
  });
  docsRoutes(app, notFound);
}

function docsRoutes(
  app: FastifyInstance,
  notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const files = new StaticFiles(FOLDERS.find((folder) => existsSync(folder)) ?? (FOLDERS.at(-1) as string));
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const [path = '', query] = request.url.split('?');
    const moveTo = (to: string) => reply.redirect(query === undefined ? to : `${to}?${query}`, 308);
    const last = path.split('/').at(-1) as string;
    const page = path.endsWith('/') ? `${name}/${INDEX_PAGE}`.replace(/^\/+/, '') : name;
    if (files.has(page)) return files.send(request, reply, page, SITE_HEADERS);
    // Links are relative, and a folder ends in a slash. Addresses of guides may be written without their ending.
    if (!path.endsWith('/') && files.has(`${name}/${INDEX_PAGE}`.replace(/^\/+/, ''))) return moveTo(`${last}/`);
    if (!path.endsWith('/') && files.has(`${name}.html`)) return moveTo(`${last}.html`);
    if (files.has(INDEX_PAGE)) return notFound(request, reply);
    if (name === '' && !path.endsWith('/')) return moveTo(`${last}/`);
    const missing = docsMissing('../'.repeat(name.split('/').length));
    return sendText(request, reply.code(503).headers(PLAIN_PAGE), HTML, sendable(missing));
  };
  app.get('/docs', (request, reply) => send(request, reply, ''));
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) =>
    send(request, reply, request.params['*'].replace(/\/+$/, '')),
  );
}
