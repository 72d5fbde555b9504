/**
 * A request as it goes over the wire.
 *
 * @param options.ledger handle of the ledger it is for, if any
 * @param options.authorization the header, if any
 * @param options.text its body, if any, and `options.type` what that is
 */
export function request(method, path, { ledger, authorization, text, type = 'application/json' }) {
  const lines = [`${method} /v2${path} HTTP/1.1`, 'host: localhost'];
  if (ledger !== undefined) lines.push(`x-ledger: ${ledger}`);
  if (authorization !== undefined) lines.push(`authorization: ${authorization}`);
  if (text !== undefined) lines.push(`content-type: ${type}`, `content-length: ${Buffer.byteLength(text)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text ?? ''}`);
}
