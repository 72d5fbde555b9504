import { formatCheckpoint, formatNote, type NoteKey, openCheckpoint, parsePolicy } from '@countersign/protocol/log';
import { afterEach, describe, expect, it } from 'vitest';
import { folderName } from '../../../cli/src/witness/states.js';
import { TestLog } from '../../../cli/test/support/tree.js';
import { native } from '../../src/auth/native-suite.js';
import { LogStopped } from '../../src/log/publish.js';
import { newLedger, TestClient } from '../support/client.js';
import { copyDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { type RunningWitness, readSealedLog, sealedLog, startImpostor, startWitness } from '../support/witness.js';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function opened<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  open.push(started);
  return started;
}

const witnessOf = ({ vkey, url }: { vkey: string; url: string }, at: number) => `witness w${at} ${vkey} ${url}`;

/** A server whose logs these cosign. */
function serverWith(
  witnesses: readonly { vkey: string; url: string }[],
  quorum: string,
  more: Parameters<typeof startServer>[0] = {},
): Promise<RunningServer> {
  const policy = parsePolicy(`${witnesses.map(witnessOf).join('\n')}\n${quorum}\n`);
  const refused = { first: 200, greatest: 400 };
  return opened(startServer({ deliveryAllowPrivate: true, witnesses: { policy, interval: 100, refused }, ...more }));
}

/** A ledger whose log the witnesses know. */
async function ledgerFor(running: RunningServer, witnesses: readonly RunningWitness[]) {
  const client = await newLedger(running.url);
  const log = await sealedLog(running.database.url, client.ledger!);
  for (const witness of witnesses) witness.trust(log.key);
  return { client, log };
}

/** A line of this key that it never wrote. */
const forged = ({ name, id }: NoteKey) =>
  formatNote({ text: 'x\n', signatures: [{ name, id, signature: Buffer.alloc(72, 1) }] }).slice('x\n\n'.length);
const forge = (name: string, id: string) =>
  formatNote({
    text: formatCheckpoint({ origin: name, size: 1e9, root: Buffer.alloc(32) }),
    signatures: [{ name, id, signature: Buffer.alloc(64, 1) }],
  });
const write = (client: TestClient, handle: string) => stored(client, 'symbol', { handle, factor: 100 });
const grown = async (running: RunningServer, client: TestClient) =>
  (await sealedLog(running.database.url, client.ledger!)).size;
const metricsOf = ({ server }: RunningServer) => server.metrics.registry.metrics();

/** Waits until a checkpoint of so many leaves is shown with the cosignatures of these, and no others. */
async function isCosigned(running: RunningServer, ledger: number, size: number, by: readonly RunningWitness[]) {
  const { key } = await eventually(async () => {
    const shown = await running.server.service.logs.current(ledger, size);
    expect(shown?.size).toBe(size);
    expect(shown?.note.trim().split('\n— ')).toHaveLength(by.length + 2);
    return { key: shown! };
  });
  return key;
}

describe('the witnesses of a server', () => {
  it('cosign what is shown, with a quorum of those that answer', async () => {
    const [one, two] = [await opened(startWitness('one.test')), await opened(startWitness('two.test'))];
    const down = await startImpostor((_, response) => response.destroy());
    await down.stop();
    const running = await serverWith([one, two, down], 'group g 2 w0 w1 w2\nquorum g');
    const { client, log } = await ledgerFor(running, [one]);
    // One cosignature is too few: nothing is shown.
    // The second refusal is of a later round.
    await eventually(async () => {
      const metrics = await metricsOf(running);
      expect(metrics).toMatch(/witness="w0",outcome="cosigned".*\} [1-9]/);
      expect(metrics).toMatch(/witness="w1",outcome="refused".*\} [2-9]/);
    });
    expect(await running.server.service.logs.current(log.ledger)).toBeUndefined();
    two.trust(log.key);
    const { note } = await isCosigned(running, log.ledger, log.size, [one, two]);
    const { signed } = openCheckpoint(note, [log.key, one.key, two.key], native);
    expect(signed.map(({ key }) => key.name).sort()).toEqual([log.origin, 'one.test', 'two.test'].sort());
    for (let round = 0; round < 3; round += 1) {
      await write(client, `more-${round}`);
      await isCosigned(running, log.ledger, await grown(running, client), [one, two]);
    }
    const metrics = await metricsOf(running);
    expect(metrics).toMatch(/countersign_log_witness_total\{.*witness="w0".*outcome="cosigned".*\} [4-9]/);
    expect(metrics).toMatch(/countersign_log_witness_total\{.*witness="w1".*outcome="refused".*\} \d/);
    expect(metrics).toMatch(/countersign_log_witness_total\{.*witness="w2".*outcome="failed".*\} \d/);
    // w2 never cosigns.
    expect(metrics).not.toMatch(/countersign_log_unwitnessed_seconds\{[^}]*\} 0\n/);
  });

  it('may all be away, without a quorum: the newest checkpoint is shown, later with what came', async () => {
    const one = await opened(startWitness('one.test'));
    const running = await serverWith([one], 'quorum none');
    const client = await newLedger(running.url);
    const log = await sealedLog(running.database.url, client.ledger!);
    await isCosigned(running, log.ledger, log.size, []);
    one.trust(log.key);
    // It was refused before, and rests.
    await write(client, 'more');
    await isCosigned(running, log.ledger, await grown(running, client), [one]);
    await eventually(async () =>
      expect(await metricsOf(running)).toMatch(/countersign_log_unwitnessed_seconds\{[^}]*\} 0\n/),
    );
    const asked = one.lines.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(one.lines).toHaveLength(asked);
  });

  it('hold nobody up when one is slow', async () => {
    const one = await opened(startWitness('one.test'));
    const slow = await opened(startImpostor(() => {}));
    const running = await serverWith([slow, one], 'quorum w1');
    const ledgers = [];
    for (let at = 0; at < 5; at += 1) ledgers.push(await ledgerFor(running, [one]));
    for (const { log } of ledgers) await isCosigned(running, log.ledger, log.size, [one]);
  });

  it('are not believed: another key, another tree, nonsense', async () => {
    const one = await opened(startWitness('one.test'));
    const answers = ['— impostor.test AAAA\n', 'nonsense', '', `${'x'.repeat(100)}\n`];
    let asked = 0;
    const liar = await opened(
      startImpostor((request, response) => {
        request.resume();
        response.end([...answers, forged(liar.key)][asked % (answers.length + 1)]);
        asked += 1;
      }),
    );
    const running = await serverWith([liar, one], 'quorum none');
    for (let at = 0; at <= answers.length; at += 1) {
      const { log } = await ledgerFor(running, [one]);
      await eventually(() => expect(asked).toBeGreaterThan(at));
      await isCosigned(running, log.ledger, log.size, [one]);
    }
    expect(await metricsOf(running)).toMatch(/outcome="invalid"/);
  });

  it('stop no log by a word: without what its key has signed, they rest', async () => {
    const one = await opened(startWitness('one.test'));
    const forger = new TestLog('forger.test');
    forger.add('a', 'b', 'c');
    interface Answer {
      readonly status: number;
      readonly text?: string;
    }
    /** What the liar says of each log, by its origin, and how often it was asked for what it has. */
    const told = new Map<string, { claims: Answer; shows: Answer; looked: number }>();
    let asked = 0;
    const liar = await opened(
      startImpostor(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        const isLook = request.method === 'GET';
        const [, of] = [...told].find(([origin]) =>
          isLook ? request.url!.includes(folderName(origin)) : body.includes(`\n${origin}\n`),
        ) ?? ['', undefined];
        if (isLook && of) of.looked += 1;
        if (!isLook) asked += 1;
        const { status, text } = (isLook ? of?.shows : of?.claims) ?? { status: 404 };
        response.writeHead(status).end(text);
      }),
    );
    const running = await serverWith([liar, one], 'quorum none');
    const huge = { status: 409, text: '9007199254740991\n' };
    const served = (origin: string, by: RunningWitness) => fetch(`${by.url}/${folderName(origin)}/checkpoint`);
    const cases: readonly (readonly [Answer, (origin: string, key: NoteKey) => Answer | Promise<Answer>])[] = [
      [{ status: 422 }, () => ({ status: 404 })],
      [huge, () => ({ status: 404 })],
      [huge, () => ({ status: 200, text: 'nonsense' })],
      // Another key signs for the origin.
      [huge, async (origin) => ({ status: 200, text: await forger.note(3, origin) })],
      // A signature that the key never made.
      [huge, (_, { name, id }) => ({ status: 200, text: forge(name, id) })],
      // Of another log, by its own key.
      [huge, async () => ({ status: 200, text: await forger.note() })],
      // What the log had is no evidence against it.
      [{ status: 422 }, async (origin) => ({ status: 200, text: await (await served(origin, one)).text() })],
    ];
    // All at once: each is about a ledger of its own.
    await Promise.all(
      cases.map(async ([claims, show]) => {
        const { client, log } = await ledgerFor(running, [one]);
        await isCosigned(running, log.ledger, log.size, [one]);
        const of = { claims, shows: await show(log.origin, log.key), looked: 0 };
        told.set(log.origin, of);
        // For a log that it refused, the witness rests a moment.
        await eventually(() => expect(of.looked).toBeGreaterThan(0));
        await write(client, 'more');
        const size = await grown(running, client);
        await isCosigned(running, log.ledger, size, [one]);
        expect((await readSealedLog(running.database.url, client.ledger!)).stopped).toBeNull();
      }),
    );
    expect(asked).toBeGreaterThan(0);
    const metrics = await metricsOf(running);
    expect(metrics).toMatch(/witness="w0",outcome="invalid"/);
    expect(metrics).not.toMatch(/outcome="contradicted"/);
    expect(metrics).toMatch(/countersign_log_stopped\{[^}]*\} 0/);
  });
});

describe('a database that has gone back in time, where nothing else knows', () => {
  /** A server whose witness has cosigned more than its database has. */
  async function goBack(quorum: string, writes: readonly string[] = []) {
    const one = await opened(startWitness('one.test'));
    const first = await startServer({ deliveryAllowPrivate: true });
    const client = await newLedger(first.url);
    const log = await sealedLog(first.database.url, client.ledger!);
    one.trust(log.key);
    await first.server.close();
    const backup = await copyDatabase(first.database);
    open.push({ stop: () => first.database.drop() }, { stop: () => backup.drop() });
    const second = await serverWith([one], quorum, { database: first.database });
    const lost = new TestClient(second.url, client.key, client.ledger);
    await write(lost, 'lost-1');
    await write(lost, 'lost-2');
    await isCosigned(second, log.ledger, await grown(second, client), [one]);
    if (writes.length > 0) {
      const unaware = await startServer({ database: backup });
      for (const handle of writes) await write(new TestClient(unaware.url, client.key, client.ledger), handle);
      await sealedLog(backup.url, client.ledger!);
      await unaware.server.close();
    }
    const restored = await serverWith([one], quorum, { database: backup });
    return { restored, client: new TestClient(restored.url, client.key, client.ledger), log };
  }

  it('is stopped when a witness has more leaves', async () => {
    const { restored, client, log } = await goBack('quorum none');
    const { stopped } = await eventually(async () => {
      const now = await readSealedLog(restored.database.url, client.ledger!);
      expect(now.stopped).not.toBeNull();
      return now;
    });
    expect(stopped).toBe(`it has ${log.size} leaves, and the witness w0 has cosigned ${log.size + 2}`);
    await expect(restored.server.service.logs.current(log.ledger)).rejects.toThrow(LogStopped);
    const metrics = await metricsOf(restored);
    expect(metrics).toMatch(/countersign_log_stopped\{[^}]*\} 1/);
    expect(metrics).toMatch(/outcome="contradicted"/);
  });

  it('is stopped when a witness has other leaves', async () => {
    const { restored, client, log } = await goBack('quorum w0', ['other-1', 'other-2', 'other-3']);
    await eventually(async () => {
      const { stopped } = await readSealedLog(restored.database.url, client.ledger!);
      expect(stopped).toBe('the witness w0 has cosigned what it does not begin with');
    });
    await expect(restored.server.service.logs.current(log.ledger)).rejects.toThrow(LogStopped);
  });
});
