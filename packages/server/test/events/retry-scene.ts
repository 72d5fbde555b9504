import type { JsonObject } from '@countersign/protocol';
import { expect } from 'vitest';
import { newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import type { RunningServer } from '../support/server.js';
import { type DeliveryRow, loadRows, query, setDelivery, subscribe } from './support.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);

/** How a delivery stands before a retry. */
export type Standing = Readonly<Record<string, unknown>>;

export const FAILED: Standing = { status: 'failed', attempts: 2, tries: 2, due: ago(-HOUR), proofs: '{"a":1},{"b":2}' };

/** A ledger with an effect, and deliveries in these standings, named `d-0` and so on by what they are linked to. */
export async function makeDeliveries(server: RunningServer, ...standings: Standing[]): Promise<TestClient> {
  const client = await newLedger(server.url);
  await subscribe(client, 'hook', 'wallet-created');
  for (const [index, standing] of standings.entries()) {
    await stored(client, 'wallet', { handle: `d-${index}` });
    const row = (await loadRows(server, client)).at(-1)!;
    await setDelivery(server, row.handle, { due: null, ...standing });
  }
  return client;
}

export function retry(
  client: TestClient,
  data: JsonObject = {},
  path = '/effects/hook/events/retry',
): Promise<TestAnswer> {
  return client.call('POST', path, signed(data, client.key, {}));
}

/** The answer to every retry that is taken. */
export function expectTaken(answer: TestAnswer): void {
  expect(answer.status, answer.text).toBe(202);
  expect(answer.text).toBe('');
  expect(answer.headers.get('content-type')).toBeNull();
}

/** Waits until no request waits any more. */
export async function untilWorkedOff(server: RunningServer, client: TestClient): Promise<void> {
  await eventually(async () => expect(await countWaiting(server, client)).toBe(0));
}

export async function countWaiting(server: RunningServer, { ledger }: TestClient): Promise<number> {
  const rows = await query<{ id: string }>(
    server,
    'select r.id from delivery_retry r join ledger l on l.id = r.ledger_id where l.handle = $1',
    [ledger],
  );
  return rows.length;
}

export const isAgain = ({ status, tries, due }: DeliveryRow) => status === 'pending' && tries === 0 && due !== null;

/** Handles of the records that the deliveries which are due again are about. */
export async function listAgain(server: RunningServer, client: TestClient): Promise<(string | null)[]> {
  await untilWorkedOff(server, client);
  return (await loadRows(server, client)).filter(isAgain).map(({ linked }) => linked);
}

/** Keeps the worker from requests of a ledger: another process has the lease. @returns what gives it back */
export async function holdRetries(server: RunningServer, { ledger }: TestClient): Promise<() => Promise<void>> {
  await query(
    server,
    `insert into lease (ledger_id, worker, unit, holder, until, failures)
     select id, 'retry-deliveries', '', 'test', now() + interval '1 day', 0 from ledger where handle = $1
     on conflict (ledger_id, worker, unit) do update set holder = excluded.holder, until = excluded.until`,
    [ledger],
  );
  return async () => {
    await query(server, 'delete from lease using ledger l where l.id = ledger_id and l.handle = $1 and holder = $2', [
      ledger,
      'test',
    ]);
  };
}
