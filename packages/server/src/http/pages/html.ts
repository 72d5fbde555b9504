import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { prefers } from '../../base/accept.js';

/** Text as HTML shows it, also within quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** A page of the server. */
export interface HtmlPage {
  readonly title: string;
  /** HTML, with everything that is not ours escaped. */
  readonly body: string;
  /** The way from this page to the server's root: `` for `/`, `../` for `/docs/interface`. */
  readonly up: string;
}

/** A whole page. Links are relative: the server may be reached below a path of another one. */
export function layout({ title, body, up }: HtmlPage): string {
  const links = [
    ['', 'Server'],
    ['docs', 'Interface'],
    ['docs/guides', 'Guides'],
    ['v2/openapi.json', 'OpenAPI'],
  ].map(([path, text]) => `<a href="${up}${path === '' && up === '' ? './' : path}">${text}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Countersign</title>
<link rel="stylesheet" href="${up}docs/style.css">
</head>
<body>
<header><strong>Countersign</strong><nav>${links.join(' ')}</nav></header>
<main>
${body}
</main>
</body>
</html>
`;
}

/** What a browser may do with a page: show it and its style sheet, and nothing else. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

/** Text that is sent as it is, with what tells it from other text. */
export interface Sendable {
  readonly text: string;
  readonly etag: string;
}

export function sendable(text: string): Sendable {
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
}

/** Answers 304 to who has it already. */
export function sendText(request: FastifyRequest, reply: FastifyReply, type: string, { text, etag }: Sendable) {
  reply.headers({ etag, 'cache-control': 'no-cache', 'content-type': `${type}; charset=utf-8` });
  return knows(request, etag) ? reply.code(304).send() : reply.send(text);
}

/** Whether the client has what the tag stands for. */
export function knows({ headers }: FastifyRequest, etag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag);
}

/** Sends a page with headers that keep whatever it holds from acting. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, type: string, page: Sendable) {
  return sendText(request, reply.headers(PAGE_HEADERS), type, page);
}

/** Whether HTML is what the client asks for first: browsers say so, other clients do not. */
export function prefersHtml({ headers }: FastifyRequest): boolean {
  return prefers(headers.accept, 'text/html', 'application/json');
}
