import { createServer } from 'node:http';
import { hash as hashOf, readJson, verifyProof } from '@countersign/protocol';
import { native } from '../../packages/server/dist/auth/native-suite.js';

/**
 * A receiver, as a process of its own so that it can be killed. It verifies every body, reports it, and answers only then:
 * what it has answered is known.
 *
 * Arguments: port, the ledger's public key, the share of attempts that it refuses, and how often it refuses one event at most.
 */
const [port, system, refused, most] = [Number(process.argv[2]), process.argv[3], ...process.argv.slice(4).map(Number)];

/** How often each event was refused. */
const refusals = new Map();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const fault = faultOf(text);
  const { data } = readJson(text);
  const before = refusals.get(data.handle) ?? 0;
  const takes = before >= most || Math.random() >= refused;
  if (!takes) refusals.set(data.handle, before + 1);
  const report = { event: data.handle, wallet: data.wallet.data.handle, fault, takes };
  process.send(report, () => response.writeHead(takes ? 202 : 500).end());
});
// The sender closes idle connections: a time-out here could close one under a request.
server.keepAliveTimeout = 0;
server.listen(port, '127.0.0.1', () => process.send({ ready: true }));

/** What is wrong with a body; undefined when it is as the ledger signed it. */
function faultOf(text) {
  const { data, hash, meta } = readJson(text);
  if (hashOf(data, native) !== hash) return 'hash';
  const [proof, ...others] = meta.proofs;
  if (others.length > 0 || proof.public !== system) return 'signer';
  return verifyProof(hash, proof, native) ? undefined : 'proof';
}
