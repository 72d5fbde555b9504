import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { assetLimits } from '../kinds/reports/asset-limits.js';
import type { Answer } from '../records/command.js';

/** Connections that a file is being sent on: they are held to progress (http/connections.ts). */
const downloads = new WeakSet<Socket>();

/** Whether a file is being sent on the connection. */
export function isDownload(socket: Socket): boolean {
  return downloads.has(socket);
}

/**
 * Sends a file as what it is: bytes to be saved, which no browser shows, guesses the type of or runs, whoever wrote them.
 * The connection is cut where that takes longer than `assetLimits.sent`, or the file fails.
 */
export function sendFile(reply: FastifyReply, file: NonNullable<Answer['file']>): FastifyReply {
  const { socket } = reply.request.raw;
  const stream = file.read();
  const timer = setTimeout(() => stream.destroy(new Error('The file was not taken in time.')), assetLimits.sent);
  downloads.add(socket);
  stream.once('close', () => {
    clearTimeout(timer);
    downloads.delete(socket);
  });
  return reply
    .headers({
      'content-type': 'application/octet-stream',
      'content-length': String(file.size),
      'content-disposition': attachment(file.name),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(stream);
}

/**
 * The header that has a file saved under a name (RFC 6266), and for old clients under what of the name is ASCII. No
 * character of the name ends the header or its quotes.
 */
function attachment(name: string): string {
  const plain = name.replace(/[^\w.+@=-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
