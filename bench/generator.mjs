import { randomBytes } from 'node:crypto';
import { encodeBase64, hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { check } from './check.mjs';
import { Connection } from './connection.mjs';
import { fire } from './fire.mjs';
import { shapes } from './shapes.mjs';
import { Wallets } from './wallets.mjs';

/**
 * The process that makes and sends the load. It is told what to do in messages `{ task, ...options }`, one at a time,
 * and answers each. Requests are made, signed and written out before the clock starts.
 */
const tasks = { found, prepare, run, answer: oneAnswer };

const secret = randomBytes(32);
const key = { secret, public: encodeBase64(native.publicKey(secret)) };
const wallets = new Wallets(key);
let prepared = [];
const open = new Map();

process.on('message', ({ task, ...options }) => {
  tasks[task](options).then(
    (done) => process.send({ done }),
    (error) => process.send({ error: error.stack }),
  );
});

/** Makes the ledger that everything is stored in: open to everyone, since rules are not what is measured. */
async function found({ port }) {
  const data = { handle: 'bench', signer: 'system', access: [{ action: 'any', record: 'any' }] };
  const hash = hashOf(data, native);
  const custom = { moment: new Date().toISOString(), status: 'created' };
  const body = JSON.stringify({ hash, data, meta: { proofs: [signProof({ hash, custom, ...key }, native)] } });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${port}/v2/ledgers`, { method: 'POST', headers, body });
  if (answer.status !== 201) throw new Error(`the ledger was not made: ${await answer.text()}`);
}

/** Makes the next `count` requests of a shape. */
async function prepare({ shape, count }) {
  prepared = Array.from({ length: count }, () => wallets[made(shape)]());
}

/**
 * Sends what was prepared.
 *
 * @param checked whether kept answers are checked in full, as those of the ledger are
 */
async function run({ shape, port, connections, checked, seconds, rate }) {
  const { status } = shapes[shape];
  const ready = await connectionsTo(port, connections);
  const { samples, latencies, ...measured } = await fire(ready, prepared, { status, seconds, rate });
  if (checked) for (const sample of samples) check(made(shape), sample);
  return { ...measured, p50: at(latencies, 0.5), p99: at(latencies, 0.99) };
}

/** The body of the answer to the first prepared request. */
async function oneAnswer({ port }) {
  const [connection] = await connectionsTo(port, 1);
  return new Promise((resolve, reject) => connection.send(prepared[0], true, (_, body) => resolve(body), reject));
}

/** Connections are kept from one measurement to the next, and a measurement finds them open. */
async function connectionsTo(port, count) {
  const kept = (open.get(port) ?? []).filter((connection) => connection.isOpen);
  while (kept.length < count) kept.push(await Connection.open(port));
  open.set(port, kept);
  return kept.slice(0, count);
}

/** The shape whose requests a shape is made of. */
function made(shape) {
  return shapes[shape].like ?? shape;
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
