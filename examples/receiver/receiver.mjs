import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as protocol from '@countersign/protocol';

/** Handles of the events that were handled: between `most` and twice as many, in memory and in two files. */
class HandledEvents {
  #recent = new Set();
  #older = new Set();
  #underWay = new Map();
  #appended = Promise.resolve();

  static async open(folder, most) {
    const handled = Object.assign(new HandledEvents(), { path: join(folder, 'handled'), most });
    handled.#older = await readHandles(`${handled.path}.older`);
    handled.#recent = await readHandles(handled.path);
    handled.file = await open(handled.path, 'a');
    return handled;
  }

  /** Runs `handle` unless that was done for this event, and resolves once it is on disk. @returns whether it ran */
  async once(event, handle) {
    if (this.#recent.has(event) || this.#older.has(event)) return false;
    const other = this.#underWay.get(event);
    if (other) return other.then(() => false);
    // A crash between the two runs it again: where that matters, keep the handle in the transaction of your own change.
    const append = () => this.#append(event);
    const done = (async () => {
      await handle();
      this.#appended = this.#appended.then(append, append);
      await this.#appended;
    })().finally(() => this.#underWay.delete(event));
    this.#underWay.set(event, done);
    return done.then(() => true);
  }

  async #append(event) {
    // The line break comes first, and so ends what a crash has left of the line before.
    await this.file.appendFile(`\n${event}`);
    await this.file.datasync();
    this.#recent.add(event);
    if (this.#recent.size < this.most) return;
    await rename(this.path, `${this.path}.older`);
    const full = this.file;
    this.file = await open(this.path, 'a');
    [this.#older, this.#recent] = [this.#recent, new Set()];
    await full.close();
  }
}

async function readHandles(path) {
  return new Set((await readIfThere(path))?.split('\n').filter((line) => /^evt_[\w-]{17}$/.test(line)));
}

function readIfThere(path) {
  return readFile(path, 'utf8').catch((error) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)));
}

/** The ledger's key: as kept in `folder`; else asked for once, and kept. */
export async function pinKey(folder, url, ledger) {
  const path = join(folder, 'ledger.key');
  const kept = await readIfThere(path);
  if (kept !== undefined) return kept.trim();
  const options = { headers: { 'x-ledger': ledger }, signal: AbortSignal.timeout(10_000) };
  const { data, hash: shown, meta } = protocol.readJson(await (await fetch(`${url}/signers/system`, options)).text());
  // The record must be signed by its own key. That this is the ledger's is taken on trust, once.
  const own = meta.proofs.some((proof) => proof.public === data.public && protocol.verifyProof(shown, proof));
  if (!own || protocol.hash(data) !== shown || data.handle !== 'system')
    throw new Error(`${url} tells no key of ${ledger}`);
  await writeFile(path, `${data.public}\n`, { flag: 'wx' });
  return data.public;
}

/** Listens for events. `onEvent` is called once for each that is wanted, and should be quick: the ledger waits. */
export async function startReceiver({ key, folder, host = '127.0.0.1', port = 0, onEvent, ...more }) {
  const { isWanted = () => true, onRefusal = () => undefined, most = 100_000, patience = 10_000 } = more;
  protocol.parseSystemKey(key);
  const handled = await HandledEvents.open(folder, most);

  /** The status of the answer: 2xx is done, 501 stops the delivery, all others are tried again. */
  async function receive(request) {
    if (request.method !== 'POST') return 405;
    const body = await readBody(request);
    if (body === undefined) return 413;
    const { id } = protocol.verifyWebhook(request.headers, body, key, { now: Date.now() });
    const event = protocol.verifyEvent(body.toString(), key);
    if (id !== event.handle) throw new protocol.EventError('malformed', 'The headers are those of another event');
    if (!isWanted(event)) return 501;
    await handled.once(event.handle, () => onEvent(event));
    return 204;
  }

  const timeouts = { requestTimeout: patience, headersTimeout: patience, connectionsCheckingInterval: patience / 4 };
  const server = createServer(timeouts, async (request, response) => {
    const status = await receive(request).catch((error) => {
      if (!request.complete) return undefined; // The connection broke, or took too long and was answered 408.
      onRefusal(error);
      return error instanceof protocol.EventError || error instanceof protocol.WebhookError ? 400 : 500;
    });
    if (status !== undefined) answer(request, response, status);
  });
  server.maxConnections = 32; // Each may hold a body of 9 MiB.
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  const close = () => stop().then(() => handled.file.close());
  return { url: `http://${host}:${server.address().port}/`, close };
}

/** The bytes of a body; undefined when there are more than an event has, or when it tells of more. */
export async function readBody(request, told = Number(request.headers['content-length'] ?? 0)) {
  const chunks = [];
  let size = 0;
  if (told > protocol.EVENT_BOUNDS.size) return undefined;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > protocol.EVENT_BOUNDS.size) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Answers. What still comes of the body is read, up to as much again: else the sender might not get the answer. */
export async function answer(request, response, status) {
  if (request.complete) return response.writeHead(status).end();
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).flushHeaders();
  await readBody(request, 0).catch(() => undefined);
  response.end();
}

async function main({ LEDGER_URL = 'http://127.0.0.1:3000/v2', LEDGER, LEDGER_KEY, STATE = 'receiver', ...env }) {
  if (!LEDGER && !LEDGER_KEY) throw new Error('Set LEDGER to the handle of the ledger, or LEDGER_KEY to its key');
  await mkdir(STATE, { recursive: true });
  const key = LEDGER_KEY || (await pinKey(STATE, LEDGER_URL, LEDGER));
  const { url } = await startReceiver({
    ...{ key, folder: STATE, host: env.HOST, port: Number(env.PORT ?? 4000) },
    ...{ most: Number(env.REMEMBER ?? 100_000), patience: Number(env.PATIENCE ?? 10_000) },
    isWanted: ({ signal }) => !env.SIGNALS || env.SIGNALS.split(',').includes(signal),
    onEvent: ({ moment, signal, handle }) => console.log(`${moment} ${signal} ${handle}`),
    onRefusal: (error) => console.error(`refused: ${error.message}`),
  });
  console.log(`receiving on ${url} what ${key} has signed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(process.env).catch((error) => {
    console.error(`receiver: ${error.message}`);
    process.exit(1);
  });
}
