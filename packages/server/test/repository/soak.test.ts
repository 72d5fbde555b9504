import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newLedger } from '../support/client.js';
import { root } from '../support/documents.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

// biome-ignore lint/suspicious/noExplicitAny: the soak is plain JavaScript
const load = (name: string): Promise<any> =>
  import(new URL(`../../../../scripts/soak/everything/${name}.mjs`, import.meta.url).href);

const { Breaking } = await load('breaking');
const { Disturbances } = await load('disturbances');
const { Findings } = await load('findings');
const { Payments } = await load('payments');
const { Load } = await load('load');
const { judgeLog } = await load('log');
const { Memory, slopeOf } = await load('memory');
const { Slowness } = await load('slowness');
const { Traffic } = await load('traffic');
const { Wallets } = await load('wallets');

it.each([
  [['nosuch'], "soak: Unexpected argument 'nosuch'"],
  [['--events', 'many'], 'soak: --events must be a whole number from 1 to 100000000'],
  [['everything', '--minutes', 'x'], 'soak: --minutes must be from 0.1 to 10080'],
])('a soak of %j is refused in one line, with code 2', (args, told) => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/soak.mjs'), ...args], {
    encoding: 'utf8',
  });
  expect([status, stderr.trim().split('\n')]).toEqual([2, [expect.stringContaining(told)]]);
});

describe('what the soak of everything takes for the fault of the server', () => {
  const at = (began: number) => ({ began, ended: began + 10 });
  const refusal = (status: number, began: number, retryAfter?: string) => ({
    ...{ kind: 'answer', status, ...at(began) },
    ...(retryAfter ? { retryAfter } : {}),
  });
  const disturbed = (database: boolean) => {
    const disturbances = new Disturbances();
    disturbances.all.push({ what: 'broken', database, began: 100_000, ended: 110_000 });
    return disturbances;
  };

  it('is every 5xx but a 503 with retry-after while the database is away or has just come back', () => {
    const away = disturbed(true);
    expect(away.causeOf(refusal(503, 100_000, '1'))).toBe('broken');
    expect(away.causeOf(refusal(503, 115_000, '1'))).toBe('broken');
    expect(away.causeOf(refusal(503, 115_001, '1'))).toBeUndefined();
    expect(away.causeOf(refusal(503, 99_000, '1'))).toBeUndefined();
    expect(away.causeOf(refusal(503, 105_000))).toBeUndefined();
    expect(away.causeOf(refusal(500, 105_000, '1'))).toBeUndefined();
    expect(disturbed(false).causeOf(refusal(503, 105_000, '1'))).toBeUndefined();
  });

  it('is every connection that is lost but those of a process that was killed', () => {
    const lost = { kind: 'connection', ...at(105_000) };
    expect(disturbed(false).causeOf(lost)).toBe('broken');
    expect(disturbed(true).causeOf(lost)).toBeUndefined();
    const ended = (moment: number) => ({ kind: 'connection', began: 90_000, ended: moment });
    expect(disturbed(false).causeOf(ended(99_999))).toBeUndefined();
    expect(disturbed(false).causeOf(ended(120_000))).toBe('broken');
    expect(disturbed(false).causeOf(ended(120_001))).toBeUndefined();
  });

  it.each<[string, RequestListener]>([
    ['no answer', () => {}],
    ['half an answer', (_request, response) => void response.writeHead(200, { 'content-length': 9 }).write('half')],
  ])('is %s, whatever was killed meanwhile', async (_what, listener) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    const disturbances = new Disturbances();
    disturbances.begin('worker killed');
    disturbances.begin('PostgreSQL ended', { database: true });
    const findings = new Findings();
    const traffic = new Traffic((server.address() as AddressInfo).port, disturbances, findings, 20);
    await expect(traffic.ask({ path: '/', ledger: 'l' })).rejects.toThrow('GET / got no answer 3 times');
    expect([...findings.wrong]).toEqual([['a request is not answered: no answer in 20 ms', 3]]);
    expect([...findings.expected]).toEqual([]);
  });

  it('is a stall: many requests of a minute, or more than a hundredth of all, that took too long for no cause', () => {
    const judged = (minutes: [sent: number, slow: number][]) => {
      const [slowness, findings] = [new Slowness(), new Findings()];
      minutes.forEach(([sent, slow], minute) => {
        for (let one = 0; one < sent; one += 1) slowness.sent(minute * 60_000 + one);
        for (let one = 0; one < slow; one += 1) slowness.slow(minute * 60_000 + one);
      });
      slowness.judge(findings);
      return [...findings.wrong.keys()];
    };
    expect(judged([[1_000, 10]])).toEqual([]);
    expect(judged([[1_000, 11]])).toEqual([
      'too many requests took too long: the server stalls, or the rate is too high',
    ]);
    expect(judged([[100, 11], [1_900, 0]])).toEqual(['requests of a minute took too long']); // biome-ignore format: rows
    expect(judged([[100, 10], [1_900, 0]])).toEqual([]); // biome-ignore format: rows
  });

  it('is what could not be broken, again and again', async () => {
    const [findings, disturbances] = [new Findings(), new Disturbances()];
    const effect = { receiver: { goDown: () => {}, comeUp: () => {} } };
    const tenants = [{ effects: { effect }, bank: { kill: () => {}, open: () => {} } }];
    // No process has that id.
    const server = { workers: () => [1, 2 ** 22 + 1], endDatabase: () => undefined };
    const breaking = new Breaking({ server, spared: 1, tenants, disturbances, findings, seconds: 0.01 });
    breaking.start();
    await expect.poll(() => findings.wrong.get('breaking a worker has failed')).toBeGreaterThan(2);
    await expect.poll(() => Object.keys(breaking.counts)).toEqual(expect.arrayContaining(['bank killed']));
    await expect.poll(() => Object.keys(breaking.counts)).toEqual(expect.arrayContaining(['receiver closed']));
    await breaking.stop();
    expect(findings.details.join('\n')).toContain('ESRCH');
    expect(findings.details.slice(-2).map((line: string) => line.split(' ').slice(1, 8).join(' '))).toEqual([
      'nothing of a sort was broken: worker',
      'nothing of a sort was broken: database',
    ]);
    expect(disturbances.all).toEqual([]);
    expect(breaking.counts).not.toHaveProperty('worker killed');
  });

  it('is what was due and never began', async () => {
    const findings = new Findings();
    const waits = () => new Promise<void>(() => {});
    const wallets = Object.fromEntries(
      ['create', 'update', 'proof', 'read', 'list', 'page'].map((name) => [name, waits]),
    );
    const tenants = [{ wallets, payments: { pay: waits, list: waits } }];
    const underLoad = new Load({ tenants, findings, rate: 2_000 });
    const late = performance.now() + 200;
    await underLoad.run(0.2, () => performance.now() > late);
    expect([...findings.wrong.keys()]).toEqual(['operations that were due have never begun']);
  });

  it('is a line of its log that does not follow from what was broken, and a process that nobody killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-soak-log-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'server.log');
    const judged = async (lines: unknown[], counts = {}) => {
      const findings = new Findings();
      await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
      await judgeLog(path, { counts, disturbances: disturbed(true), findings });
      return [...findings.wrong.keys()];
    };
    const away = { level: 50, time: 105_000, msg: 'unexpected error', err: { type: 'Error' } };
    const death = { level: 50, time: 1, msg: 'a worker has died and is replaced', code: null, signal: 'SIGKILL' };
    expect(await judged([away, { ...away, level: 40, time: 1 }, '{"level":50,"ti'])).toEqual([]);
    expect(await judged([{ ...away, time: 99_999 }])).toEqual(['the log has an error: unexpected error']);
    expect(await judged([{ ...away, time: 140_001 }])).toEqual(['the log has an error: unexpected error']);
    expect(await judged([{ ...away, err: { type: 'TypeError' } }])).toEqual(['the log has an error: unexpected error']);
    expect(await judged([{ ...away, level: 60, msg: 'cannot go on' }])).toEqual(['the log has an error: cannot go on']);
    expect(await judged(['Segmentation fault'])).toEqual(['the server wrote what is no line of its log']);
    expect(await judged([death], { 'worker killed': 1 })).toEqual([]);
    expect(await judged([death, death], { 'worker killed': 1 })).toEqual(['more processes died than were killed']);
    expect(await judged([{ ...death, code: 1, signal: null }], { 'worker killed': 1 })).toEqual([
      'a worker has died by itself',
    ]);
    const restart = { ...death, msg: 'PostgreSQL is started again (it ended: exit code 0)' };
    expect(await judged([restart], { 'PostgreSQL ended: fast': 1 })).toEqual([]);
    expect(await judged([restart], { 'connection of PostgreSQL killed': 1 })).toEqual([
      'more processes died than were killed',
    ]);
  });

  it('is memory of which there are too few samples', () => {
    const memory = new Memory({}, 1);
    const verdicts = (seconds: number) => memory.verdicts(seconds).map(({ verdict }: { verdict: string }) => verdict);
    expect(verdicts(1_199)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(verdicts(1_200)).toContain('too few samples');
    for (let seconds = 5; seconds <= 1_200; seconds += 5)
      memory.samples.push({
        seconds,
        primary: 30,
        spared: seconds,
        workers: 1,
        postgres: seconds > 1_000 ? 9 : 0,
        buffers: 1,
      });
    expect(verdicts(1_200)).toEqual(['flat', 'grows', undefined, 'too few samples', undefined]);
  });

  it('is memory that grows along a line', () => {
    expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5 + 2 * x]))).toBe(2);
    expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5]))).toBe(0);
    expect(slopeOf([])).toBe(0);
  });

  it('is no memory that was given back for a while', () => {
    const held = Array.from({ length: 40 }, (_, x) => [x, x > 5 && x < 10 ? 100 : 190]);
    expect(slopeOf(held)).toBe(0);
  });
});

describe('what the soak of everything reads again', () => {
  const running = withServer();

  it('shows what was lost, and what is not as it was acknowledged', async () => {
    const findings = new Findings();
    const { port } = new URL(running.current.url);
    const client = await newLedger(running.current.url);
    const traffic = new Traffic(Number(port), new Disturbances(), findings);
    const context = { traffic, findings, ledger: client.ledger, key: client.key };
    const wallets = new Wallets(context);
    await wallets.create();
    await wallets.create();
    await wallets.create();
    for (const wallet of wallets.all) await wallets.readAgain(wallet);
    await wallets.list();
    expect([...findings.wrong]).toEqual([]);

    const [first, second] = wallets.all;
    const read = async (handle: string) => ok(await client.get(`/wallets/${handle}`)).body;
    await client.drop('/wallets/w-0', await read('w-0'));
    const { data } = await read('w-1');
    ok(await client.update('/wallets/w-1', await read('w-1'), { ...data, custom: { ...data.custom, updates: 7 } }));
    await wallets.readAgain(first);
    await wallets.readAgain(second);
    await wallets.list();
    const payments = new Payments(context);
    await payments.readAgain({ handle: 'p-0', isRejected: false });
    await payments.pay();
    const [rejected] = payments.all;
    await payments.readAgain({ ...rejected, isRejected: true });
    await payments.readAgain({ ...rejected, isRejected: true, hash: second.hash });
    await payments.readBalance('here-0');
    expect([...findings.wrong.keys()]).toEqual([
      'an acknowledged wallet is missing',
      'a wallet is read otherwise than it was acknowledged',
      'a list leaves out what it has',
      'an acknowledged payment is missing',
      'a payment is read otherwise than it was signed',
      'a balance is wrong',
    ]);
  });
});
