import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import {
  digest,
  encodeBase64,
  hash as hashOf,
  luid as makeLuid,
  readJson,
  signProof,
  verifyProof,
} from '@countersign/protocol';
import { native } from '../../packages/server/dist/auth/native-suite.js';

/**
 * The least a ledger must do to take a signed write: parse, hash, verify, sign, serialise. No routing, no rules, no
 * database.
 */
const secret = randomBytes(32);
const system = { secret, public: encodeBase64(native.publicKey(secret)) };

// Connections are kept between measurements, however long those of other servers take.
createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const sent = readJson(Buffer.concat(chunks).toString());
    const text = JSON.stringify(request.url.endsWith('/proofs') ? proved(sent) : stored(sent));
    response.writeHead(request.method === 'POST' && sent.data ? 201 : 200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));

let last = { meta: { proofs: [] } };

function stored({ hash: claimed, data, meta: { proofs } }) {
  const hash = hashOf(data, native);
  if (hash !== claimed) throw new Error('the hash is wrong');
  if (!proofs.every((proof) => verifyProof(hash, proof, native))) throw new Error('a signature is wrong');
  const moment = new Date().toISOString();
  const luid = makeLuid('wlt', Date.now() / 1_000, randomBytes(11));
  const own = signProof({ hash, custom: { luid, moment, status: 'created' }, ...system }, native);
  const owners = proofs.map((proof) => proof.public);
  last = { hash, data, luid, meta: { proofs: [...proofs, own], status: 'created', moment, owners } };
  return last;
}

/** Which record a proof is for is not known here, nor its hash: the work is the same with that of the last one. */
function proved(proof) {
  digest(last.hash ?? proof.digest, proof.custom, native);
  const signed = Buffer.from(proof.digest, 'hex');
  if (!native.verify(Buffer.from(proof.result, 'base64'), signed, Buffer.from(proof.public, 'base64'))) {
    throw new Error('a signature is wrong');
  }
  const meta = { ...last.meta, proofs: [...last.meta.proofs, proof], status: proof.custom.status };
  return { ...last, meta: { ...meta, moment: new Date().toISOString() } };
}
