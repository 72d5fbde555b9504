import { randomBytes } from 'node:crypto';
import { verifyProof } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { deliveryData, deliveryHash } from '../../src/deliveries/record.js';
import { dropOf, newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { TestReceiver, withReceiver } from './receiver.js';

/** Milliseconds that the clock of the server is ahead. */
let ahead = 0;
const runtime = { now: () => Date.now() + ahead, random: (bytes: number) => randomBytes(bytes) };
/** Deliveries are given up as recorded, without further attempts. */
const running = withOwnServer({ deliveryAllowPrivate: true, runtime, deliveries: { retryFor: 0 } });
const receiver = withReceiver();

interface Row {
  readonly handle: string;
  readonly status: string;
  readonly attempts: number;
  readonly attempted: Date;
  readonly due: Date | null;
  readonly proofs: { custom: Record<string, unknown>; public: string }[];
}

async function query<T>(text: string, values: unknown[] = []): Promise<T[]> {
  return runSql<T>(running.current.database.url, text, values);
}

/** The only delivery of a ledger. */
async function delivery(client: TestClient): Promise<Row> {
  const [row] = await query<Row & { proofs: string }>(
    'select d.* from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1',
    [client.ledger],
  );
  return { ...row!, proofs: JSON.parse(`[${row!.proofs}]`) };
}

/** A ledger with one effect, and one wallet that it is told of. */
async function raise(endpoint: string): Promise<TestClient> {
  const client = await newLedger(running.current.url, { access: OPEN });
  await stored(client, 'effect', { handle: 'hook', signal: 'wallet-created', action: { schema: 'webhook', endpoint } });
  await stored(client, 'wallet', { handle: 'ann' });
  return client;
}

/** Waits for so many attempts, and moves the clock to when the next one is due. */
async function afterAttempt(client: TestClient, number: number): Promise<Row> {
  const row = await eventually(async () => {
    const found = await delivery(client);
    expect(found.attempts).toBe(number);
    expect(found.status).not.toBe('running');
    return found;
  });
  if (row.due) ahead = Math.max(ahead, row.due.getTime() - Date.now());
  return row;
}

const customs = ({ proofs }: Row) => proofs.map(({ custom: { moment: _, ...others } }) => others);
const DELAYS = [1000, 1200, 1440, 1728, 2074, 2488, 2986, 3583, 4300, 5160];
const delayOf = ({ due, attempted }: Row) => (due ? due.getTime() - attempted.getTime() : undefined);

afterEach(() => {
  ahead = 0;
});

describe('a delivery that fails', () => {
  it('is attempted six times while the receiver rejects it, each time with the same body', async () => {
    receiver.instead = (_, response) => response.writeHead(500).end('no');
    const client = await raise(receiver.url);
    const delays: unknown[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) delays.push(delayOf(await afterAttempt(client, attempt)));
    expect(delays).toEqual([...DELAYS.slice(0, 5), undefined]);
    const row = await delivery(client);
    expect(row.status).toBe('cancelled');
    const failed = { detail: { httpStatus: 500 }, reason: 'delivery.target-rejected', status: 'failed' };
    const cancelled = { reason: 'delivery.retry-cap-exhausted', status: 'cancelled' };
    expect(customs(row)).toEqual([failed, failed, failed, failed, failed, failed, cancelled]);
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
  });

  it('is attempted eleven times while nobody can be reached', async () => {
    const client = await raise(`http://127.0.0.1:${await freePort()}/`);
    const delays: unknown[] = [];
    for (let attempt = 1; attempt <= 11; attempt += 1) delays.push(delayOf(await afterAttempt(client, attempt)));
    expect(delays).toEqual([...DELAYS, undefined]);
    const row = await delivery(client);
    expect(customs(row).at(0)).toEqual({
      detail: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1' },
      reason: 'delivery.target-unreachable',
      status: 'failed',
    });
    expect(customs(row).at(-1)).toEqual({ reason: 'delivery.retry-cap-exhausted', status: 'cancelled' });
    expect(row.proofs).toHaveLength(12);
  });

  it('is attempted once when the receiver answers 501', async () => {
    receiver.instead = (_, response) => response.writeHead(501).end();
    const client = await raise(receiver.url);
    const row = await afterAttempt(client, 1);
    expect(row.status).toBe('cancelled');
    expect(customs(row)).toEqual([
      { detail: { httpStatus: 501 }, reason: 'delivery.target-rejected', status: 'failed' },
      { reason: 'delivery.permanent-failure', status: 'cancelled' },
    ]);
  });

  it('is delivered when the receiver is up again after an hour', async () => {
    const port = await freePort();
    const client = await raise(`http://127.0.0.1:${port}/`);
    await afterAttempt(client, 1);
    const late = new TestReceiver();
    await late.start(port);
    try {
      ahead += 3_600_000;
      const row = await eventually(async () => {
        const found = await delivery(client);
        expect(found.status).toBe('delivered');
        return found;
      });
      expect(late.received).toHaveLength(1);
      expect(customs(row).map(({ status }) => status)).toEqual(['failed', 'delivered']);
    } finally {
      await late.stop();
    }
  });

  it('has proofs by the ledger that verify', async () => {
    const client = await raise(receiver.url);
    const row = await afterAttempt(client, 1);
    expect(row.status).toBe('delivered');
    const data = deliveryData({ handle: row.handle, effectHandle: 'hook', record: 'wallet', linked: 'ann' });
    const [proof] = row.proofs;
    expect(verifyProof(deliveryHash(data, native), proof as never, native)).toBe(true);
    expect(customs(row)).toEqual([{ detail: { httpStatus: 202 }, status: 'delivered' }]);
  });

  it('is cancelled when its effect is dropped while it waits', async () => {
    receiver.instead = (_, response) => response.writeHead(503).end();
    const client = await raise(receiver.url);
    const { hash, luid } = (await client.call('GET', '/effects/hook')).body;
    await eventually(async () => expect((await delivery(client)).attempts).toBe(1));
    const dropped = await client.call('DELETE', '/effects/hook', dropOf({ hash, luid } as never, client.key));
    expect(dropped.status).toBe(204);
    const seen = receiver.received.length;
    ahead += 60_000;
    const row = await eventually(async () => {
      const found = await delivery(client);
      expect(found.status).toBe('cancelled');
      return found;
    });
    expect(customs(row).at(-1)).toEqual({ reason: 'delivery.permanent-failure', status: 'cancelled' });
    expect(receiver.received).toHaveLength(seen);
  });
});
