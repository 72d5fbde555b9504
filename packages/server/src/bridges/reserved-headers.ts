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

/** Headers that tell the form of the body, and of the answers that the ledger reads. */
const CONTENT: readonly string[] = ['content-type', 'accept'];

/** Whether the header of that name, given in lower case, is the ledger's: security rules that set it have no effect. */
export function isReservedHeader(name: string): boolean {
  return CONTENT.includes(name) || HOP_BY_HOP.includes(name);
}
