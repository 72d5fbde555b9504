import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { readJson } from '@countersign/protocol';
import { SignJWT } from 'jose';

/**
 * The least a token endpoint must do: sign. What was last put into it, an answer of the endpoint it is compared with,
 * tells the header and the claims, so that the answers are equally long. No ledger, no credentials, no database.
 */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let like = {};
let header = {};
let claims = {};

// Connections are kept between measurements, however long those of other servers take.
createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const text = request.method === 'PUT' ? take(Buffer.concat(chunks).toString()) : await minted();
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));

function take(body) {
  like = readJson(body);
  [header, claims] = like.access_token.split('.', 2).map((part) => readJson(Buffer.from(part, 'base64url').toString()));
  return '';
}

async function minted() {
  const iat = Math.floor(Date.now() / 1_000);
  const token = new SignJWT({ ...claims, iat, exp: iat + like.expires_in }).setProtectedHeader(header);
  return JSON.stringify({ ...like, access_token: await token.sign(privateKey) });
}
