import { createServer } from 'node:http';
import { readJson } from '@countersign/protocol';

/**
 * A receiver of events that answers at once and keeps nothing but what is measured: how many came, and how many
 * milliseconds after the change of their wallet. `GET /` tells, and begins anew.
 */
let waits = [];
let last = 0;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ waits, last }));
    waits = [];
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    last = Date.now();
    const { data } = readJson(text);
    waits.push(last - Date.parse(data.wallet.meta.moment));
    response.writeHead(202).end();
  });
});
// An idle connection is the server's to close.
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));
