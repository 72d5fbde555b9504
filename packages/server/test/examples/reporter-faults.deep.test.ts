import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EVENT_BOUNDS, hash, type JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { newKey, newLedger, proofOver, type TestKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { outgoingOf } from '../support/outgoing.js';
import { stored } from '../support/scene.js';
import { ReporterProcess, stepsOf, WINDOW, withReporters } from './reporter-scene.js';

const scene = withReporters();

const jobs = () => readdir(join(scene.folder, 'state/jobs'));
const statusesOf = (texts: readonly string[]) => texts.map((text) => JSON.parse(text).custom.status);

/** An event as a ledger with this key would sign it. */
function eventOf(key: TestKey, number: number, changes: JsonObject = {}): string {
  const data = { handle: `r${number}`, schema: 'wallets', custom: WINDOW };
  const luid = `$rep.${String(number).padStart(17, '0')}`;
  const created = { ...proofOver(hash(data), key, { luid, status: 'created' }), origin: 'key-pair', signer: 'system' };
  const report = { luid, data, hash: hash(data), meta: { proofs: [created], status: 'created' } };
  const event = { handle: `evt_${luid.slice(5)}`, signal: 'report-created', report, ...changes };
  const custom = { moment: '2026-01-01T00:00:00.000Z' };
  const proof = { ...proofOver(hash(event), key, custom), custom, origin: 'key-pair', signer: 'system' };
  return JSON.stringify({ data: event, hash: hash(event), meta: { proofs: [proof] } });
}

describe('the reporter, killed and started again,', () => {
  it('between pending and completed goes on where it was', async () => {
    const first = await scene.subscribed();
    scene.gateway.instead = ({ path }, _, forward) => (path.startsWith('/v2/wallets') ? undefined : forward());
    await scene.create();
    await eventually(() => expect(scene.gateway.passed.at(-1)?.path).toContain('/wallets'));
    await first.stop('SIGKILL');
    const pending = await scene.reached('pending');
    expect(scene.hasFile(pending)).toBe(false);
    scene.gateway.instead = undefined;
    const second = await scene.start();
    expect(second.key).toBe(first.key);
    expect(stepsOf(await scene.reached('completed')).slice(2)).toEqual([
      ['pending', first.key],
      ['completed', first.key],
    ]);
    await eventually(async () => expect(await jobs()).toEqual([]));
  });

  it('before the ledger got what it had signed, sends that same body', async () => {
    const first = await scene.subscribed();
    scene.gateway.instead = ({ body }, _, forward) => (body.includes('"completed"') ? undefined : forward());
    await scene.create();
    await eventually(() => expect(statusesOf(scene.gateway.proofs())).toEqual(['pending', 'completed']));
    await first.stop('SIGKILL');
    const bytes = await readFile(scene.fileOf(await scene.reached('pending')));
    await stored(scene.client, 'wallet', { handle: 'late' });
    scene.gateway.instead = undefined;
    await scene.start();
    const report = await scene.reached('completed');
    const [, one, again] = scene.gateway.proofs();
    expect(again).toBe(one);
    expect(await readFile(scene.fileOf(report))).toEqual(bytes);
  });

  it('after the ledger got it, signs no second `completed`, and leaves the file as it is', async () => {
    // It does not try again before it is killed.
    const first = await scene.subscribed({ RETRY: '60000' });
    scene.gateway.instead = async ({ body }, response, forward) => {
      if (!body.includes('"completed"')) return forward();
      response.on('error', () => {}).writeHead = () => response;
      await forward();
    };
    await scene.create();
    const report = await scene.reached('completed');
    const bytes = await readFile(scene.fileOf(report));
    await first.stop('SIGKILL');
    expect(await jobs()).toHaveLength(1);
    await stored(scene.client, 'wallet', { handle: 'late' });
    scene.gateway.instead = undefined;
    const second = await scene.start();
    await eventually(() => expect(second.out).toMatch(/ completed$/m));
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect((await scene.client.get('/reports/r')).body).toEqual(report);
    expect(await readFile(scene.fileOf(report))).toEqual(bytes);
    expect(statusesOf(scene.gateway.proofs())).toEqual(['pending', 'completed']);
  });

  it('is told again by the ledger of what came while it was gone', async () => {
    const first = await scene.subscribed();
    await first.stop('SIGKILL');
    await scene.create();
    await eventually(async () => expect((await scene.deliveries())[0]?.meta.replay).toBeGreaterThan(0));
    await scene.start({ PORT: new URL(first.url).port });
    await scene.reached('completed');
    expect(JSON.parse(await scene.delivered()).data.signal).toBe('report-created');
  });
});

describe('the reporter makes a call again, with the same signed body,', () => {
  it.each<[string, (response: import('node:http').ServerResponse, forward: () => Promise<void>) => void]>([
    ['answered 503', (response) => response.writeHead(503).end('{}')],
    ['answered by something other than JSON', (response) => response.writeHead(200).end('<html>')],
    ['when the connection breaks', (response) => response.destroy()],
    [
      'when the answer is lost after the ledger has acted',
      async (response, forward) => {
        response.writeHead = () => response.destroy();
        await forward().catch(() => {});
      },
    ],
  ])('%s', async (_, fail) => {
    // Each try of a job waits twice as long as the one before.
    const reporter = await scene.subscribed({ RETRY: '2' });
    const failed = new Map<string, number>();
    scene.gateway.instead = ({ method, path, body }, response, forward) => {
      const call = `${method} ${path} ${body && JSON.parse(body).custom.status}`;
      const times = failed.get(call) ?? 0;
      failed.set(call, times + 1);
      if (times < 2) fail(response, forward);
      else forward();
    };
    await scene.create();
    const report = await scene.reached('completed');
    expect(stepsOf(report).slice(2)).toEqual([
      ['pending', reporter.key],
      ['completed', reporter.key],
    ]);
    const sent = new Set(scene.gateway.proofs());
    expect(statusesOf([...sent])).toEqual(['pending', 'completed']);
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect(reporter.err).toMatch(/^evt_\S{17} \$rep\.\S{17} GET \/reports\/.*$/m);
  });

  it('and lets other reports have their turn meanwhile', async () => {
    await scene.subscribed();
    const stuck = await scene.create(WINDOW, 'stuck').then(({ luid }) => encodeURIComponent(luid));
    scene.gateway.instead = ({ path }, response, forward) =>
      path.includes(stuck) ? response.writeHead(500).end() : forward();
    for (const handle of ['a', 'b']) await scene.create(WINDOW, handle);
    for (const handle of ['a', 'b']) await scene.reached('completed', handle);
    scene.gateway.instead = undefined;
    await scene.reached('completed', 'stuck');
  });
});

describe('an event that comes again to the reporter', () => {
  it('does nothing more: by two effects, at once, and when all is done', async () => {
    const reporter = await scene.subscribed();
    await scene.subscribe(reporter, 'second');
    await scene.create();
    const body = await scene.delivered();
    expect(await Promise.all([1, 2, 3, 4].map(() => reporter.send(body)))).toEqual([202, 202, 202, 202]);
    const report = await scene.reached('completed');
    const bytes = await readFile(scene.fileOf(report));
    await stored(scene.client, 'wallet', { handle: 'late' });
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect(await reporter.send(body)).toBe(202);
    await eventually(async () => expect(await jobs()).toEqual([]));
    expect((await scene.client.get('/reports/r')).body).toEqual(report);
    expect(await readFile(scene.fileOf(report))).toEqual(bytes);
    expect(statusesOf(scene.gateway.proofs())).toEqual(['pending', 'completed']);
  });

  it.each(['rejected', 'dropped'])('leaves a report alone that others have %s', async (end) => {
    const reporter = await scene.subscribed({ SCHEMAS: 'none' });
    const report = await scene.create();
    const body = (await outgoingOf(scene.server, scene.client))[0]!.body;
    if (end === 'rejected') await scene.client.prove('/reports/r', report, { status: 'rejected' });
    else await scene.client.drop('/reports/r', report);
    await reporter.stop();
    const willing = await scene.start();
    expect(await willing.send(body)).toBe(202);
    await eventually(() => expect(willing.out).toMatch(new RegExp(` ${end}$`, 'm')));
    expect(scene.gateway.proofs()).toEqual([]);
    expect(scene.hasFile(report)).toBe(false);
  });

  it('leads to no error when the report is dropped while its file is made', async () => {
    const reporter = await scene.subscribed();
    scene.gateway.instead = async ({ path }, _, forward) => {
      if (path.startsWith('/v2/wallets')) await scene.client.drop('/reports/r', await scene.reached('pending'));
      await forward();
    };
    await scene.create();
    await eventually(() => expect(reporter.out).toMatch(/ dropped$/m));
    expect(await jobs()).toEqual([]);
  });
});

describe('the reporter refuses, and asks the ledger nothing about,', () => {
  const altered: [string, (body: string) => string][] = [
    ['an event with another report', (body) => body.replace('"handle":"r"', '"handle":"s"')],
    ['an event with another window', (body) => body.replace('start_timestamp', 'start-timestamp')],
    ['an event without proofs', (body) => body.replace(/"proofs":\[[^[]*\]\}\}$/, '"proofs":[]}}')],
    ['what is no JSON', () => '<event/>'],
    ['an event of another ledger', () => eventOf(newKey(), 1)],
  ];

  it('what is not, to the letter, what its ledger has signed, with 400', async () => {
    const reporter = await scene.start();
    await stored(scene.client, 'effect', { handle: 'reports', signal: 'report-created', action: { bridge: 'none' } });
    await scene.create();
    const { body } = (await outgoingOf(scene.server, scene.client))[0]!;
    scene.gateway.passed.length = 0;
    for (const [name, change] of altered) {
      expect(change(body), name).not.toBe(body);
      expect(await reporter.send(change(body)), name).toBe(400);
      expect([await jobs(), scene.gateway.passed], name).toEqual([[], []]);
    }
    expect(reporter.err).toMatch(/^(refused: .*\n){5}$/);
    expect(await reporter.send(body)).toBe(202);
    await scene.reached('completed');
  });

  it('other signals and schemas with 501, other paths and methods with 404 and 405', async () => {
    const key = newKey();
    const reporter = await scene.start({ LEDGER_KEY: key.public, SCHEMAS: 'daily,weekly' });
    expect(await reporter.send(eventOf(key, 1))).toBe(501);
    expect(
      await reporter.send(
        eventOf(key, 1, { signal: 'report-proofs-added', report: 'r', proofs: [{ ...proofOver(hash({}), key) }] }),
      ),
    ).toBe(501);
    for (const path of ['/', '/effects/', '/effects/a/b', '/debits']) {
      expect(await reporter.send(eventOf(key, 1), path)).toBe(404);
    }
    expect((await fetch(`${reporter.url}/effects/reports`)).status).toBe(405);
    expect(scene.gateway.passed).toEqual([]);
  });

  it('a body beyond the largest event with 413', async () => {
    const key = newKey();
    const reporter = await scene.start({ LEDGER_KEY: key.public });
    const padded = (size: number) => eventOf(key, 1).padEnd(size);
    expect(await reporter.send(padded(EVENT_BOUNDS.size + 1))).toBe(413);
    expect(await reporter.send(padded(EVENT_BOUNDS.size))).toBe(202);
  });

  it('one report more than may be under way with 503', async () => {
    const key = newKey();
    const reporter = await scene.start({ LEDGER_KEY: key.public, JOBS: '2' });
    scene.gateway.instead = () => {};
    const statuses = [];
    for (const number of [1, 2, 3, 1]) statuses.push(await reporter.send(eventOf(key, number)));
    expect(statuses).toEqual([202, 202, 503, 202]);
    expect((await jobs()).sort()).toEqual([1, 2].map((number) => `evt_${String(number).padStart(17, '0')}.json`));
  });

  it('a body that does not arrive in time', async () => {
    const { connect } = await import('node:net');
    const reporter = await scene.start({ PATIENCE: '200' });
    const socket = connect(Number(new URL(reporter.url).port), '127.0.0.1');
    socket.write('POST /effects/reports HTTP/1.1\r\nhost: reporter\r\ncontent-length: 10\r\n\r\n{');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 408 /);
    socket.destroy();
  });
});

it('the reporter does not start without its settings, nor with a key that the ledger does not tell', async () => {
  const other = await newLedger(scene.server.url, { access: [] });
  const ledger = { LEDGER_URL: scene.gatewayUrl, STATE: join(scene.folder, 'state') };
  for (const [settings, line] of [
    [{ LEDGER: 'x' }, /^reporter: Set LEDGER and REPORT_ASSETS_DIR\n$/],
    [{ REPORT_ASSETS_DIR: scene.assets }, /^reporter: Set LEDGER and REPORT_ASSETS_DIR\n$/],
    [{ LEDGER: other.ledger!, REPORT_ASSETS_DIR: scene.assets }, /^reporter: .* tells no key of ledger-/],
  ] as const) {
    const reporter = new ReporterProcess({ ...ledger, ...settings });
    scene.reporters.push(reporter);
    expect([await reporter.ended(), reporter.out]).toEqual([1, '']);
    expect(reporter.err).toMatch(line);
  }
});
