import type { IncomingMessage } from 'node:http';
import { LedgerError } from '@countersign/protocol';

/** Bytes of a body that is taken: twice what the server takes, since a signature is added. */
const LARGEST_BODY = 2 * 2 ** 20;

/** A body that is refused before it is sent on. */
export class ProxyBodyTooLarge extends LedgerError {
  constructor() {
    super('api.body-malformed', `The body is larger than ${LARGEST_BODY} bytes`);
  }
}

/** Reads a body to its end. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is read and forgotten, so that the refusal reaches the client.
    if (length <= LARGEST_BODY) chunks.push(chunk);
  }
  if (length > LARGEST_BODY) throw new ProxyBodyTooLarge();
  return Buffer.concat(chunks);
}

/**
 * The path below the base URL that a request to the proxy is for; the caller may repeat the base path. With its query,
 * byte for byte.
 *
 * @param base path of the base URL, such as `/v2`
 * @returns undefined for a target that is no path
 */
export function pathBelow(target: string, base: string): string | undefined {
  if (!target.startsWith('/') || target.startsWith('//')) return undefined;
  const rest = target.slice(base.length);
  const repeats = target.startsWith(base) && (rest === '' || rest.startsWith('/') || rest.startsWith('?'));
  const path = repeats ? rest : target;
  return path.startsWith('/') ? path : `/${path}`;
}
