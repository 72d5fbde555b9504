import { createServer } from 'node:http';
import { readJson } from '@countersign/protocol';
import { Seconds } from './seconds.mjs';

/**
 * A receiver of completed transfers. It measures how many milliseconds after its sender had signed it each one came first, and
 * counts those that came again. `GET /second` tells of the time since it was last asked, `GET /all` of all, `GET /begin`
 * begins anew.
 */
const took = new Seconds();
/** One bit a transfer: whether it has come. */
let seen = new Uint8Array(1 << 16);
let received = 0;
let again = 0;

const answers = {
  '/second': () => ({ ...took.next(), received, again }),
  '/all': () => ({ ...took.all(), received, again }),
  '/begin': () => took.begin() ?? {},
};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(answers[request.url]()));
    return;
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const now = Date.now();
    const { data, meta } = readJson(text).data.intent;
    if (isFirst(Number(data.handle.slice(2)))) {
      received += 1;
      took.add(now - Date.parse(meta.proofs[0].custom.moment));
    } else again += 1;
    response.writeHead(202).end();
  });
});

function isFirst(number) {
  const [byte, bit] = [number >> 3, 1 << (number & 7)];
  if (byte >= seen.length) {
    const larger = new Uint8Array(Math.max(byte + 1, seen.length * 2));
    larger.set(seen);
    seen = larger;
  }
  if (seen[byte] & bit) return false;
  seen[byte] |= bit;
  return true;
}

// The sender closes idle connections: a time-out here could close one under a request.
server.keepAliveTimeout = 0;
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));
