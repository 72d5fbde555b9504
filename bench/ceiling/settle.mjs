import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { hash as hashOf, luid as makeLuid, readJson, signProof, verifyProof } from '@countersign/protocol';
import { native } from '../../packages/server/dist/auth/native-suite.js';

/**
 * The least a ledger must do to settle a transfer: parse, hash, verify, make eleven proofs and the texts of eight versions.
 * No routing, no rules, no balances, no database.
 */
const system = keyPair();
const core = keyPair();

// Connections are kept between measurements, however long those of other servers take.
createServer({ keepAliveTimeout: 0 }, (request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const texts = settled(readJson(Buffer.concat(chunks).toString()));
    response.writeHead(201, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(texts[0]),
    });
    response.end(texts[0]);
  });
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening on it'));

/** @returns the texts of all versions */
function settled({ hash: claimed, data, meta: { proofs } }) {
  const hash = hashOf(data, native);
  if (hash !== claimed) throw new Error('the hash is wrong');
  if (!proofs.every((proof) => verifyProof(hash, proof, native))) throw new Error('a signature is wrong');
  const moment = new Date().toISOString();
  const luid = makeLuid('int', Date.now() / 1_000, randomBytes(11));
  const rest = { thread: luid.slice(5), domains: [], moment, owners: proofs.map((proof) => proof.public) };
  const head = `${JSON.stringify({ hash, data, luid }).slice(0, -1)},"meta":{"proofs":[`;
  let joined = proofs.map((proof) => JSON.stringify(proof)).join(',');
  return stages(luid, data.claims[0]).map(({ by, proofs, status, ...routed }) => {
    for (const custom of proofs)
      joined += `,${JSON.stringify(signProof({ hash, custom: { ...custom, moment }, ...by }, native))}`;
    return `${head}${joined}],${JSON.stringify({ ...routed, status, ...rest }).slice(1)}}`;
  });
}

/** What the proofs of each version say. */
function stages(luid, { amount, source, target }) {
  const entries = [
    { amount, handle: `deb_${luid.slice(5)}`, inputs: [0], schema: 'debit', symbol: 'usd', wallet: source.handle },
    { amount, handle: `cre_${luid.slice(5)}`, inputs: [0], schema: 'credit', symbol: 'usd', wallet: target.handle },
  ];
  const each = (status, more) => entries.map(({ handle, schema }) => ({ ...more, handle, schema, status }));
  const resolved = entries.map((entry) => ({ ...entry, status: 'resolved' }));
  const awaiting = { detail: 'awaiting-clearance', status: 'committed' };
  return [
    { by: system, proofs: [{ status: 'pending' }, { luid, status: 'pending' }], status: 'pending' },
    { by: system, proofs: resolved, status: 'pending' },
    { by: core, proofs: each('prepared'), status: 'pending' },
    { by: system, proofs: [{ status: 'prepared' }], status: 'prepared' },
    { by: system, proofs: [], status: 'prepared', routed: true },
    { by: system, proofs: [awaiting], status: 'committed', routed: true },
    { by: core, proofs: each('committed', { detail: 'cleared' }), status: 'committed', routed: true },
    { by: system, proofs: [{ status: 'completed' }], status: 'completed', routed: true },
  ];
}

function keyPair() {
  const secret = randomBytes(32);
  return { secret, public: native.publicKey(secret).toString('base64') };
}
