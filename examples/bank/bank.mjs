import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { decodeBase64, readJson, signProof } from '@countersign/protocol';
import { pinKey, readBody } from '../receiver/receiver.mjs';
import { Books } from './books.mjs';
import { CallError, verifyCall } from './calls.mjs';

/** The account that an address names: `account:105@acc` is the account 105. */
function accountOf({ handle }) {
  return /^account:([^@]+)/.exec(handle)?.[1] ?? handle;
}

/**
 * Serves the calls of one ledger, and reports what became of them.
 *
 * @param ledger `{url, handle, key}`: with `/v2`, and its public key
 * @param signer `{public, secret}` of the bank, base64: a signer of the ledger that may create `intent-proof`
 */
export async function startBank({ books, ledger, signer, host = '127.0.0.1', port = 0, ...more }) {
  const { onRefusal = () => undefined, every = 1_000 } = more;
  const key = { public: signer.public, secret: decodeBase64(signer.secret) };
  const reporting = new Map();
  let isOpen = true;

  /** Tells the ledger of an entry until it takes it. One report of an entry at a time, and the last one last. */
  function report({ handle }) {
    if (reporting.has(handle) || !isOpen) return;
    const done = tell(handle).finally(() => reporting.delete(handle));
    reporting.set(handle, done);
  }

  async function tell(handle) {
    while (isOpen) {
      const { status, reason, detail, intent, hash, reported } = books.entry(handle);
      if (reported === status) return;
      const custom = {
        ...{ handle, status, moment: new Date().toISOString(), coreId: `bank-${handle.slice(-6)}` },
        ...{ ledger: ledger.handle, record: 'intent' },
        ...(reason && status === 'failed' ? { reason, detail } : {}),
      };
      const proof = signProof({ hash, custom, ...key });
      const answer = await fetch(`${ledger.url}/intents/${encodeURIComponent(intent)}/proofs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-ledger': ledger.handle },
        body: JSON.stringify(proof),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      if (answer?.ok) await books.reported(handle, status);
      else await new Promise((resolve) => setTimeout(resolve, every));
    }
  }

  /** The status of the answer: it is given when what was asked is on disk. */
  async function take(request) {
    const path = request.url ?? '';
    const body = await readBody(request);
    if (body === undefined) return 413;
    // The status of an intent is news: this bank goes by its entries alone.
    if (request.method === 'PUT') return 200;
    if (request.method !== 'POST' || !/^\/(debits|credits)(\/[^/]+\/(commit|abort))?$/.test(path)) return 404;
    const { handle, action, schema, source, target, symbol, amount, intent } = verifyCall(
      path,
      parse(body),
      ledger.key,
    );
    const of = { intent: intent.data.handle, hash: intent.hash };
    const entry = action
      ? await books.end(handle, action, of)
      : await books.prepare({
          ...{ handle, schema, account: accountOf(schema === 'debit' ? source : target) },
          ...{ symbol: symbol.handle, amount, ...of },
        });
    if (!entry) return 409;
    // Whoever asks again has not heard: the report is made again, too.
    if (entry.reported === entry.status) await books.reported(handle, '');
    report(entry);
    return 202;
  }

  const server = createServer(async (request, response) => {
    const status = await take(request).catch((error) => {
      if (!request.complete) return undefined;
      onRefusal(error);
      return error instanceof CallError ? 400 : 500;
    });
    if (status !== undefined) response.writeHead(status, request.complete ? {} : { connection: 'close' }).end();
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  // What was under way when it stopped.
  for (const entry of books.unreported()) report(entry);
  return {
    url: `http://${host}:${server.address().port}`,
    async close() {
      isOpen = false;
      await new Promise((resolve) => server.close(resolve).closeAllConnections());
      await Promise.allSettled(reporting.values());
      await books.close();
    },
  };
}

function parse(bytes) {
  try {
    return readJson(bytes.toString());
  } catch {
    throw new CallError('The body is not JSON');
  }
}

async function main({ LEDGER_URL = 'http://127.0.0.1:3000/v2', LEDGER, LEDGER_KEY, STATE = 'bank', ...env }) {
  const { PUBLIC, SECRET, HOST, PORT = 4100, ACCOUNTS = '' } = env;
  if (!LEDGER || !PUBLIC || !SECRET) throw new Error('Set LEDGER, and the PUBLIC and SECRET key of the bank');
  const books = await Books.open(STATE);
  // `ACCOUNTS=105:usd:1000,106:usd:0`: opened at the first start.
  for (const [account, symbol, amount] of ACCOUNTS.split(',')
    .filter(Boolean)
    .map((one) => one.split(':'))) {
    if (!books.has(account, symbol)) await books.deposit(account, symbol, Number(amount));
  }
  const key = LEDGER_KEY || (await pinKey(STATE, LEDGER_URL, LEDGER));
  const { url } = await startBank({
    ...{ books, ledger: { url: LEDGER_URL, handle: LEDGER, key }, signer: { public: PUBLIC, secret: SECRET } },
    ...{ host: HOST, port: Number(PORT), onRefusal: (error) => console.error(`refused: ${error.message}`) },
  });
  console.log(`banking on ${url} for what ${key} has signed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.env).catch((error) => {
    console.error(`bank: ${error.message}`);
    process.exit(1);
  });
}
