import { createServer } from 'node:http';
import { readJson } from '@countersign/protocol';

/**
 * A receiver of events that answers at once and keeps nothing but what is measured: how many milliseconds after the change of
 * its wallet each event was claimed (which its proof says) and came first, and how often one came again. `GET /` tells, and
 * begins anew.
 */
const seen = new Set();
let waits = [];
let again = 0;
let last = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ waits, again, last }));
    waits = [];
    again = 0;
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const now = Date.now();
    const { data, meta } = readJson(text);
    if (seen.has(data.handle)) again += 1;
    else {
      seen.add(data.handle);
      last = now;
      const changed = Date.parse(data.wallet.meta.moment);
      waits.push({ claimed: Date.parse(meta.proofs[0].custom.moment) - changed, received: now - changed });
    }
    response.writeHead(202).end();
  });
});
// The sender closes idle connections: a time-out here could close one under a request.
server.keepAliveTimeout = 0;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));
