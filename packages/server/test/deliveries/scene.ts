import { randomBytes } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import type { NewDelivery } from '../../src/store/committer/write.js';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import type { RunningServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

/** A row of the outbox. */
export interface DeliveryRow {
  readonly handle: string;
  /** Handle of the effect, and its luid. */
  readonly effect: string;
  readonly subscription: string;
  readonly target: string;
  readonly linked: string | null;
  readonly status: string;
  readonly attempts: number;
  /** Of its schedule, which a retry begins anew. */
  readonly tries: number;
  /** Since when it is set aside. */
  readonly aside: Date | null;
  readonly due: Date | null;
  readonly proofs: { readonly custom: { readonly [member: string]: unknown; readonly status: string } }[];
}

/** A clock that a test moves. */
export class MovedClock {
  /** Milliseconds that it is ahead. */
  ahead = 0;
  readonly runtime = { now: () => Date.now() + this.ahead, random: (bytes: number) => randomBytes(bytes) };
}

/** The deliveries of a ledger in the order in which they were queued. */
export async function loadDeliveries(url: string, { ledger }: TestClient): Promise<DeliveryRow[]> {
  const text = `select d.*, d.effect as subscription, d.effect_handle as effect from delivery d join ledger l on l.id = d.ledger_id
    where l.handle = $1 order by d.seq`;
  const rows = await runSql<DeliveryRow & { proofs: string }>(url, text, [ledger]);
  return rows.map((row) => ({ ...row, proofs: JSON.parse(`[${row.proofs}]`) }));
}

/** What the proofs of a delivery say, without their moments. */
export function customsOf({ proofs }: DeliveryRow): JsonObject[] {
  return proofs.map(({ custom: { moment: _, ...others } }) => others as JsonObject);
}

/** Adds an effect with a webhook for new wallets. */
export function addWebhook(client: TestClient, handle: string, endpoint: string, more: JsonObject = {}) {
  const action = { schema: 'webhook', endpoint };
  return stored(client, 'effect', { handle, signal: 'wallet-created', action, ...more });
}

/** A ledger with a webhook for new wallets. */
export async function subscribedLedger(url: string, endpoint: string): Promise<TestClient> {
  const client = await newLedger(url, { access: OPEN });
  await addWebhook(client, 'hook', endpoint);
  return client;
}

export function addWallet(client: TestClient, handle: string, custom: JsonObject = {}): Promise<RecordEnvelope> {
  return stored(client, 'wallet', { handle, custom });
}

/** Waits until the deliveries of a ledger have those states. */
export function untilDeliveries(url: string, client: TestClient, states: readonly string[]): Promise<DeliveryRow[]> {
  return eventually(async () => {
    const rows = await loadDeliveries(url, client);
    expect(rows.map(({ status }) => status)).toEqual(states);
    return rows;
  });
}

/** Queues copies of the only delivery of an effect, with valid codes, as if as many writes had raised them. */
export async function copyDelivery(
  { server, database }: RunningServer,
  { ledger }: TestClient,
  effect: string,
  count: number,
): Promise<void> {
  const columns = `d.ledger_id::int as "ledgerId", d.effect, d.effect_handle as "effectHandle",
    d.effect_change as "effectChange", d.target, d.record, d.linked, d.event`;
  const [row] = await runSql<NewDelivery & { ledgerId: number }>(
    database.url,
    `select ${columns} from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 and d.effect_handle = $2`,
    [ledger, effect],
  );
  const { ledgerId, ...delivery } = row!;
  const handles = Array.from({ length: count }, () => randomBytes(9).toString('hex').slice(1));
  const codes = handles.map((handle) => server.service.integrity.deliveryMac(ledgerId, { ...delivery, handle }));
  await runSql(
    database.url,
    `insert into delivery (ledger_id, handle, effect, effect_handle, effect_change, target, record, linked, event, mac,
       moment, due)
     select d.ledger_id, c.handle, d.effect, d.effect_handle, d.effect_change, d.target, d.record, d.linked, d.event, c.mac,
       d.moment, d.moment
     from (select * from delivery where ledger_id = $1 and effect_handle = $2 limit 1) d,
       unnest($3::text[], $4::text[]) as c (handle, mac)`,
    [ledgerId, effect, handles, codes],
  );
}
