import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventError, encodeBase64, hash as hashOf, readJson, verifyEvent } from '@countersign/protocol';
import { answer, pinKey, readBody } from '../receiver/receiver.mjs';
import { Ledger, Unanswered } from './ledger.mjs';
import { generateCsv, Impossible, parseWindow } from './wallets.mjs';

/** Milliseconds between two tries at most. */
const LONGEST_WAIT = 60_000;

/** Where the server looks for the file of a report (docs/interface/reports.md, "Where files lie"). */
function assetPath({ handle }, { luid, domain, data }, asset) {
  const inDomain = domain === undefined ? [] : ['domains', domain];
  const steps = ['ledgers', handle, ...inDomain, 'schemas', data.schema, 'reports', luid, 'assets', asset];
  if (steps.some((step) => /^\.+$|[/\\\0]/.test(step))) throw new Impossible('A name of the report is not a file name');
  return steps.join('/');
}

/** Writes a file that is there as a whole or not at all, also after a crash. */
async function writeWhole(path, text) {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(`${path}.part`, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}

/** Reports that are being made, each by its event. Each is a file as well, from which the next start goes on. */
class Jobs {
  #jobs = new Map();
  #turn = Promise.resolve();

  constructor(settings) {
    Object.assign(this, settings);
  }

  async resume() {
    await mkdir(this.folder, { recursive: true });
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.json'));
    for (const name of names) this.#start(readJson(await readFile(join(this.folder, name), 'utf8')));
  }

  /** Takes a report on, once it is on disk; one that is here already is left alone. @returns whether there is room */
  async accept(event, { luid, hash, data, meta: { domain } }) {
    if (this.#jobs.has(event)) return true;
    if (this.#jobs.size >= this.most) return false;
    const job = { event, report: { luid, hash, data, domain }, proofs: {} };
    this.#jobs.set(event, job);
    await this.#save(job).catch((error) => {
      this.#jobs.delete(event);
      throw error;
    });
    this.#start(job);
    return true;
  }

  #start(job) {
    this.#jobs.set(job.event, job);
    // What was refused stays, and is tried again at the next start.
    this.#run(job).catch((error) => this.onError(job, error));
  }

  async #run(job) {
    for (let wait = this.retry; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      const turn = this.#turn.then(() => this.#advance(job));
      this.#turn = turn.catch(() => undefined);
      try {
        const status = await turn;
        await rm(this.#path(job));
        this.#jobs.delete(job.event);
        return this.onEnd(job, status);
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        this.onError(job, error);
      }
      await sleep(wait * (0.5 + Math.random() / 2));
    }
  }

  /** Takes a report as far as it goes: its status decides what comes next. @returns the last status */
  async #advance(job) {
    const path = `/reports/${encodeURIComponent(job.report.luid)}`;
    for (let from, answer; ; ) {
      const { meta, refused, detail } = await this.ledger.call('GET', path);
      if (refused === 404) return 'dropped';
      if (refused) throw new Error(detail);
      if (meta.status !== 'created' && meta.status !== 'pending') return meta.status;
      if (meta.status === from) throw new Error(answer.detail ?? `A status policy leaves it ${from}`);
      from = meta.status;
      // Signed once and kept: a second try sends the same body, even after a restart.
      job.proofs[from] ??= this.ledger.sign(job.report, await this.#stepFrom(from, job.report));
      await this.#save(job);
      answer = await this.ledger.call('POST', `${path}/proofs`, job.proofs[from]);
    }
  }

  /** What the proof says by which the report leaves its status. */
  async #stepFrom(from, report) {
    const { ledger, assets, bucket } = this;
    try {
      const window = parseWindow(report.data);
      const path = assetPath(ledger, report, 'wallets.csv');
      if (from === 'created') return { status: 'pending' };
      const text = await generateCsv(ledger, window);
      await writeWhole(join(assets, path), text);
      const url = `${ledger.url}/reports/${encodeURIComponent(report.luid)}/assets/wallets.csv`;
      const sha256 = createHash('sha256').update(text).digest('hex');
      const asset = { handle: 'wallets.csv', output: bucket ? `gs://${bucket}/${path}` : url, sha256 };
      return { status: 'completed', assets: [asset] };
    } catch (error) {
      if (!(error instanceof Impossible)) throw error;
      return { status: 'rejected', reason: 'bridge.report-failed', detail: error.message };
    }
  }

  #path({ event }) {
    return join(this.folder, `${event}.json`);
  }

  #save(job) {
    return writeWhole(this.#path(job), JSON.stringify(job));
  }
}

/** The status of the answer to a delivery: 2xx is done, 501 stops it, all others are tried again. */
async function receive(request, jobs, schemas) {
  if (!/^\/effects\/[^/?]+$/.test(request.url)) return 404;
  if (request.method !== 'POST') return 405;
  const body = await readBody(request);
  if (body === undefined) return 413;
  const { handle, signal, data } = verifyEvent(body.toString(), jobs.ledger.key);
  if (signal !== 'report-created' || !(schemas?.includes(data.report.data.schema) ?? true)) return 501;
  if (hashOf(data.report.data) !== data.report.hash) throw new EventError('hash', 'The report has another hash');
  return (await jobs.accept(handle, data.report)) ? 202 : 503;
}

async function main({ LEDGER_URL: url = 'http://127.0.0.1:3000/v2', LEDGER: handle, STATE = 'reporter', ...env }) {
  const { REPORT_ASSETS_DIR: assets, REPORT_ASSETS_BUCKET: bucket, JOBS = '1000' } = env;
  const { PATIENCE = '10000', RETRY = '1000' } = env;
  if (!handle || !assets) throw new Error('Set LEDGER and REPORT_ASSETS_DIR');
  await mkdir(STATE, { recursive: true });
  const path = join(STATE, 'reporter.key');
  await writeFile(path, encodeBase64(randomBytes(32)), { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  const secret = Buffer.from(await readFile(path, 'utf8'), 'base64');
  const key = env.LEDGER_KEY || (await pinKey(STATE, url, handle));
  const ledger = new Ledger({ url, handle, key, secret });
  const onEnd = ({ event, report }, status) => console.log(`${event} ${report.luid} ${status}`);
  const onError = ({ event, report }, error) => console.error(`${event} ${report.luid} ${error.message}`);
  const bounds = { most: Number(JOBS), retry: Number(RETRY) };
  const jobs = new Jobs({ ledger, assets, bucket, folder: join(STATE, 'jobs'), ...bounds, onEnd, onError });
  await jobs.resume();
  const patience = Number(PATIENCE);
  const timeouts = { requestTimeout: patience, headersTimeout: patience, connectionsCheckingInterval: patience / 4 };
  const server = createServer(timeouts, async (request, response) => {
    const status = await receive(request, jobs, env.SCHEMAS?.split(',')).catch((error) => {
      if (request.complete) console.error(`refused: ${error.message}`);
      return error instanceof EventError ? 400 : 500;
    });
    answer(request, response, status);
  });
  server.maxConnections = 32; // Each may hold a body of 9 MiB.
  server.listen(Number(env.PORT ?? 4001), env.HOST ?? '127.0.0.1', () => {
    const { address, port } = server.address();
    console.log(`reporting on http://${address}:${port} as ${ledger.public}`);
  });
}

main(process.env).catch((error) => {
  console.error(`reporter: ${error.message}`);
  process.exit(1);
});
