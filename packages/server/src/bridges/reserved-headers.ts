/** Headers that belong to one connection (RFC 9110 §7.6.1), or are set by whoever sends. */
export const HOP_BY_HOP: readonly string[] = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'host',
  'content-length',
];

/** What the body is, and what the ledger can read. */
const CONTENT: readonly string[] = ['content-type', 'accept'];

/** Whether no security rule may set the header of that name, given in lower case. */
export function isReserved(name: string): boolean {
  return CONTENT.includes(name) || HOP_BY_HOP.includes(name);
}
