import type { IncomingHttpHeaders } from 'node:http';

/** Names under which a program on this machine reaches the proxy. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Why a request is refused before it is looked at; undefined for one that may pass. The proxy signs what it gets, and
 * every web page that the user has open can send requests to this machine. So it takes those only that no page can have
 * sent: a browser tells the page in `origin`, or in `sec-fetch-site` how the request came about.
 *
 * A page may also have a name that leads to this machine by now (DNS rebinding): then `host` has that name.
 *
 * @param allowed origins of pages that may use the proxy
 */
export function whyRefused(headers: IncomingHttpHeaders, allowed: ReadonlySet<string>): string | undefined {
  if (!LOOPBACK_HOST.test(headers.host ?? '')) {
    return 'The proxy serves programs on this machine: the host of the request must be localhost or 127.0.0.1.';
  }
  const { origin } = headers;
  if (origin !== undefined) {
    if (allowed.has(origin)) return undefined;
    return 'The proxy takes no requests from web pages. Start it with --allow-origin to admit the pages of one origin.';
  }
  const site = headers['sec-fetch-site'];
  // `none` is an address that the user has typed.
  if (site !== undefined && site !== 'none') return 'The proxy takes no requests from web pages.';
  return undefined;
}
