import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpService } from '../http-service.js';
import { Guides } from './guides.js';
import { home } from './home.js';
import { prefersHtml, type Sendable, sendable, sendPage } from './html.js';
import { makeReference } from './reference.js';
import { STYLE } from './style.js';

const HTML = 'text/html';

/**
 * The pages for people: `/` for browsers, `/docs` with the interface, and `/docs/guides`. Each is made at the first request
 * for it, and is the same for everybody.
 *
 * @param describe the OpenAPI document
 * @param notFound what every other request gets
 */
export function pageRoutes(
  app: FastifyInstance,
  service: HttpService,
  describe: () => object,
  notFound: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const guides = lazily(() => new Guides());
  const style = sendable(STYLE);
  const reference = lazily(() => {
    const pages = makeReference(describe());
    return new Map([...pages].map(([name, text]) => [name, sendable(text)]));
  });
  const found = (request: FastifyRequest, reply: FastifyReply, page: Sendable | undefined) => {
    if (!page) return notFound(request, reply);
    // Links of pages are relative to their paths without a slash at the end.
    const [, last] = /\/([\w.-]+)\/+(?:\?.*)?$/.exec(request.url) ?? [];
    return last === undefined ? sendPage(request, reply, HTML, page) : reply.redirect(`../${last}`, 308);
  };

  app.get('/', async (request, reply) => {
    reply.header('vary', 'accept');
    if (!prefersHtml(request)) return notFound(request, reply);
    const { name, publicUrl, build, readiness } = service;
    return sendPage(request, reply, HTML, sendable(home({ name, publicUrl, build, isReady: readiness.isReady() })));
  });
  app.get('/docs/style.css', async (request, reply) => sendPage(request, reply, 'text/css', style));
  app.get('/docs', async (request, reply) => found(request, reply, reference().get('')));
  app.get<{ Params: { tag: string } }>('/docs/:tag', async (request, reply) =>
    found(request, reply, request.params.tag === '' ? undefined : reference().get(request.params.tag)),
  );
  app.get('/docs/guides', async (request, reply) => found(request, reply, guides().page('')));
  app.get<{ Params: { '*': string } }>('/docs/guides/*', async (request, reply) => {
    const name = request.params['*'];
    return found(request, reply, name === '' ? undefined : guides().page(name));
  });
}

/** Makes it when it is first asked for. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
