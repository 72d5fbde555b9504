/**
 * A server's base URL in the one form in which it is compared and remembered: other spellings of it are the same server.
 *
 * @returns undefined for what is no address of a server
 */
export function readServer(given: unknown): string | undefined {
  if (typeof given !== 'string' || !URL.canParse(given.trim())) return undefined;
  const { protocol, hostname, port, pathname } = new URL(given.trim());
  if (!/^https?:$/.test(protocol)) return undefined;
  try {
    const path = decodeURI(pathname).replace(/\/{2,}/g, '/');
    const host = hostname.replace(/\.+$/, '') + (port === '' ? '' : `:${port}`);
    return new URL(path, `${protocol}//${host}`).href.replace(/\/+$/, '');
  } catch {
    return undefined;
  }
}

/** The server that this page came from. */
export function ownServer(): string {
  return readServer(new URL('../v2', document.baseURI).href) as string;
}

/** What an address names as another server; undefined for the one that the page came from. */
export function foreignServer(given: unknown): string | undefined {
  const server = readServer(given);
  return server === ownServer() ? undefined : server;
}

const AGREED = 'countersign.agreed ';

/** Whether an identity may be used at a server: at the page's own, and where somebody has agreed to it. */
export function isAgreed(server: string): boolean {
  return server === ownServer() || localStorage.getItem(AGREED + server) !== null;
}

export function agreeTo(server: string): void {
  localStorage.setItem(AGREED + server, 'yes');
}
