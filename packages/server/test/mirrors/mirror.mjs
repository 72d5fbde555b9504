// A bridge of one ledger whose books are another ledger: what it is asked to hold, expect, commit or abort there it does here,
// as an intent with a manual commit, under the handle of the entry. It keeps nothing itself, so it may be killed anywhere.
import { createServer } from 'node:http';
import { decodeBase64, hash, signProof } from '@countersign/protocol';
import { verifyCall } from '../../../../examples/bank/calls.mjs';
import { readBody } from '../../../../examples/receiver/receiver.mjs';

const { LEDGER_URL, LEDGER, LEDGER_KEY, BOOKS, PUBLIC, SECRET, PORT = '0', DIES = '' } = process.env;
const key = { public: PUBLIC, secret: decodeBase64(SECRET) };

/** Where it is to die: `acted:3` for the third time that it has acted. */
const [deadly, times = '1'] = DIES.split(':');
let passed = 0;
function pass(step) {
  if (step !== deadly) return;
  passed += 1;
  if (passed === Number(times)) process.kill(process.pid, 'SIGKILL');
}

const sign = (of, custom) => signProof({ hash: of, custom: { moment: new Date().toISOString(), ...custom }, ...key });

async function ask(ledger, method, path, body) {
  const answer = await fetch(LEDGER_URL + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-ledger': ledger },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  if (answer.status >= 500 || answer.status === 408 || answer.status === 429) throw new Error(text);
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** The intent that stands for an entry, when the ledger has judged it; undefined when there is none. */
async function find(handle) {
  for (;;) {
    const { status, body } = await ask(BOOKS, 'GET', `/intents/${handle}`);
    if (status === 404) return undefined;
    if (body.meta.status !== 'pending' && body.meta.status !== 'committed') return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whichever comes first under the handle is the one; what comes later finds it. */
async function make(handle, claims) {
  const data = { handle, claims, config: { commit: 'manual' } };
  const of = hash(data);
  const made = await ask(BOOKS, 'POST', '/intents', {
    hash: of,
    data,
    meta: { proofs: [sign(of, { status: 'created' })] },
  });
  if (![200, 201, 409].includes(made.status)) throw new Error(JSON.stringify(made.body));
  return find(handle);
}

async function prepare({ handle, schema, source, target, symbol, amount }) {
  const account = (schema === 'debit' ? source : target).handle.replace(/^account:([^@]+)@.*$/, '$1');
  const claim = { amount, symbol: { handle: symbol.handle } };
  const made = await make(handle, [
    schema === 'debit'
      ? { ...claim, action: 'destroy', source: { handle: account } }
      : { ...claim, action: 'issue', target: { handle: account } },
  ]);
  if (made.meta.status !== 'rejected') return { status: 'prepared' };
  const { custom } = made.meta.proofs.find((proof) => proof.custom?.status === 'failed');
  return { status: 'failed', reason: 'bridge.entry-rejected', detail: custom.detail };
}

const ENDS = { commit: ['completed', 'committed'], abort: ['rejected', 'aborted'] };

async function end({ handle, action }) {
  // An abort may overtake its prepare: an intent that leads nowhere takes the handle, and is rejected.
  const nothing = { action: 'issue', amount: 1, symbol: { handle: 'none' }, target: { handle: 'none' } };
  let intent = (await find(handle)) ?? (action === 'abort' ? await make(handle, [nothing]) : undefined);
  if (intent?.meta.status === 'prepared') {
    await ask(BOOKS, 'POST', `/intents/${handle}/proofs`, sign(intent.hash, { action }));
    do intent = await find(handle);
    while (intent.meta.status === 'prepared' || intent.meta.status === 'aborted');
  }
  const [wanted, status] = ENDS[action];
  return intent?.meta.status === wanted ? { status } : undefined;
}

/** It answers when it has acted and has reported: who asks again has it do both again. */
async function take(request) {
  const body = await readBody(request);
  if (request.method === 'PUT') return 200;
  pass('received');
  const data = verifyCall(request.url, JSON.parse(body.toString()), LEDGER_KEY);
  const said = data.action ? await end(data) : await prepare(data);
  if (!said) return 409;
  pass('acted');
  const { intent } = data;
  const path = `/intents/${encodeURIComponent(intent.data.handle)}/proofs`;
  const told = await ask(LEDGER, 'POST', path, sign(intent.hash, { handle: data.handle, ...said }));
  if (told.status !== 200) throw new Error(JSON.stringify(told.body));
  pass('reported');
  return 202;
}

const server = createServer(async (request, response) => {
  const status = await take(request).catch((error) => {
    console.error(error.message);
    return 503;
  });
  response.writeHead(status).end(() => pass('answered'));
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`mirroring on http://127.0.0.1:${server.address().port}`));
