import { randomBytes } from 'node:crypto';
import { encodeBase64 } from '@countersign/protocol';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { check } from './check.mjs';
import { Connection } from './connection.mjs';
import { fire } from './fire.mjs';
import { Founder } from './founder.mjs';
import { Ledgers } from './ledgers.mjs';
import { Many } from './many.mjs';
import { authorization, foundPolicies } from './policies.mjs';
import { inLog, inMany, shapes, tenants, transfers } from './shapes.mjs';
import { Tokens } from './tokens.mjs';
import { Transfers } from './transfers.mjs';
import { Wallets } from './wallets.mjs';

/**
 * The process that makes and sends the load. It is told what to do in messages `{ task, ...options }`, one at a time,
 * and answers each. Requests are made, signed and written out before the clock starts.
 */
const tasks = { found, foundOne, foundClosed, foundMoney, foundMany, prepare, run, answer: oneAnswer };

const secret = randomBytes(32);
const key = keyOf(secret);
/** Signs what is refused. */
const stranger = keyOf(randomBytes(32));
/** What makes the requests for each ledger. */
const sources = {
  bench: new Wallets('bench', key),
  'bench-policies': new Wallets('bench-policies', key),
  'bench-effects': new Wallets('bench-effects', key),
  'bench-tokens': new Tokens('bench-tokens'),
  none: new Ledgers(key),
  'bench-money': new Transfers('bench-money', key),
  'bench-many': new Many(key),
  'bench-quiet': new Wallets('bench-quiet', key),
  'bench-closed': new Wallets('bench-closed', stranger),
};
let prepared = [];
const open = new Map();

process.on('message', ({ task, ...options }) => {
  tasks[task](options).then(
    (done) => process.send({ done }),
    (error) => process.send({ error: error.stack }),
  );
});

/**
 * Makes the ledgers that requests are for. Most are for one that is open to everyone, since rules are not what they
 * measure.
 */
async function found({ port, only, receiver }) {
  const founder = (ledger) => new Founder(port, ledger, key);
  await founder('bench').found();
  if (only.includes('create-policies')) await foundPolicies(founder('bench-policies'), key);
  if (receiver) {
    const effects = founder('bench-effects');
    await effects.found();
    const action = { schema: 'webhook', endpoint: `http://127.0.0.1:${receiver}/` };
    await effects.create('/effects', { handle: 'hook', signal: 'wallet-created', action });
  }
  if (only.includes('mint')) await sources['bench-tokens'].found(founder('bench-tokens'), key);
}

/** Makes one ledger that is open to everyone. */
function foundOne({ port, ledger }) {
  return new Founder(port, ledger, key).found();
}

/** Makes the ledger that nobody but its founder may write in. */
function foundClosed({ port }) {
  return new Founder(port, 'bench-closed', key).found([{ action: 'any', signer: { public: key.public } }]);
}

/** Makes the ledger that transfers are for, on one more server. */
function foundMoney({ port }) {
  return sources['bench-money'].found(new Founder(port, 'bench-money', key));
}

/** Makes many ledgers, which have money where that is asked for. */
function foundMany({ port, ledgers, money }) {
  return sources['bench-many'].found(port, ledgers, money);
}

/** Makes the next `count` requests of a shape. @returns whether they may be sent again and again */
async function prepare({ shape, count }) {
  const source = sourceOf(shape);
  // A new one each time: a long run outlives a token.
  if (shape === 'create-policies') source.authorization = authorization(shapeOf(shape).ledger, key);
  prepared = Array.from({ length: count }, () => source[made(shape)]());
  return { repeated: shapeOf(shape).repeated === true };
}

/**
 * Sends what was prepared.
 *
 * @param checked whether kept answers are checked in full, as those of the ledger are
 * @param once whether each request is sent once, even where seconds are left
 */
async function run({ shape, port, connections, checked, seconds, rate, once }) {
  const { status } = shapeOf(shape);
  const ready = await connectionsTo(port, connections);
  const { samples, latencies, ...measured } = await fire(ready, prepared, { status, seconds, rate, once });
  if (once && shape === 'create-many') sourceOf(shape).takeBack(prepared.length - measured.count);
  if (checked) for (const sample of samples) checkOf(shape)(sample);
  return { ...measured, p50: at(latencies, 0.5), p99: at(latencies, 0.99), greatest: at(latencies, 1) };
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

function shapeOf(shape) {
  return shapes[shape] ?? transfers[shape] ?? inLog[shape] ?? inMany[shape] ?? tenants[shape];
}

/** What a request of the shape is called by what makes it. */
function made(shape) {
  return shapeOf(shape).make ?? shape;
}

function sourceOf(shape) {
  return sources[shapeOf(shape).ledger ?? 'bench'];
}

/** What checks a kept answer: those of the token endpoint are no records. */
function checkOf(shape) {
  return shape === 'mint' ? (sample) => sourceOf(shape).check(sample) : (sample) => check(made(shape), sample);
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function keyOf(secret) {
  return { secret, public: encodeBase64(native.publicKey(secret)) };
}
