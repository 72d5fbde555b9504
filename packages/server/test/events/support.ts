import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { composeEvent, type EventPlan, referenceKey, referencesOf } from '../../src/events/event.js';
import type { KindName } from '../../src/kinds/kind.js';
import { recordNames } from '../../src/kinds/registry.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import type { TestClient } from '../support/client.js';
import { make, type Scene, setScene, stored } from '../support/scene.js';
import type { RunningServer } from '../support/server.js';
import { runSql } from '../support/sql.js';

/** A row of the outbox, with its event as receivers get it. */
export interface Queued {
  readonly handle: string;
  readonly effect: string;
  readonly bridge: string | null;
  readonly target: string;
  readonly record: string;
  readonly linked: string | null;
  readonly seq: number;
  readonly plan: EventPlan;
  /** The data of the event. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into events of every shape
  readonly data: any;
}

/** Statements on the database of a server, on a connection of their own. */
export async function query<Row extends object>(
  { database }: RunningServer,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return runSql<Row>(database.url, text, values);
}

/**
 * Keeps the deliveries of a server from being sent, so that a test says what becomes of them: whatever becomes due is due in
 * a hundred years. The server is the file's own: others would wait for what they send.
 */
export async function holdDeliveries(server: RunningServer): Promise<void> {
  await query(
    server,
    `create function hold() returns trigger language plpgsql as $$ begin
       if new.due < '2100-01-01' then new.due = new.due + interval '100 years'; end if;
       return new;
     end $$;
     create trigger hold before insert or update on delivery for each row execute function hold();`,
  );
}

/** The deliveries of a ledger that were queued after one of them, in their order. */
export async function loadQueued(server: RunningServer, { ledger }: TestClient, after = 0): Promise<Queued[]> {
  const rows = await query<Omit<Queued, 'plan' | 'data'> & { event: string; seq: string }>(
    server,
    `select d.handle, d.effect_handle as effect, d.bridge, d.target, d.record, d.linked, d.seq, d.event
     from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 and d.seq > $2 order by d.seq`,
    [ledger, after],
  );
  const plans = rows.map(({ event }) => JSON.parse(event) as EventPlan);
  const texts = await textsOf(server, plans);
  const queued = rows.map(async ({ event: _, ...row }, index) => {
    const plan = plans[index]!;
    const data = await composeEvent(plan, texts, UNBOUNDED);
    return { ...row, seq: Number(row.seq), plan, data };
  });
  return Promise.all(queued);
}

/** Bodies of the versions that events refer to. */
async function textsOf(server: RunningServer, plans: readonly EventPlan[]): Promise<Map<string, string>> {
  const references = plans.flatMap(referencesOf);
  const rows = await query<{ luid: string; change: number; body: string }>(
    server,
    `select c.luid, c.change, c.body from unnest($1::text[], $2::int[]) as r(luid, change)
       join version c on c.luid = r.luid and c.change = r.change`,
    [references.map(([, luid]) => luid), references.map(([, , change]) => change)],
  );
  return new Map(rows.map(({ luid, change, body }) => [referenceKey(['wallet', luid, change]), body]));
}

/** Subscribes to every signal there is, or to those that begin so, by an effect for each that is named after it. */
export async function subscribeToAll(client: TestClient, begin = ''): Promise<void> {
  // At the same time: they are stored together.
  await Promise.all(
    recordNames.signals.filter((one) => one.startsWith(begin)).map((signal) => subscribe(client, signal, signal)),
  );
}

/** Subscribes to a signal. */
export function subscribe(
  client: TestClient,
  handle: string,
  signal: string,
  more: JsonObject = {},
): Promise<RecordEnvelope> {
  const action = { schema: 'webhook', endpoint: 'https://receiver.example/hook' };
  return stored(client, 'effect', { handle, signal, action, ...more });
}

/** The signals that were raised after a delivery, in their order, each with its event's data. */
export async function loadRaised(
  server: RunningServer,
  client: TestClient,
  after: number,
): Promise<{ signals: string[]; events: Queued[] }> {
  const events = await loadQueued(server, client, after);
  return { signals: events.map(({ plan }) => plan.signal), events };
}

/** The place of the newest delivery of a ledger. */
export async function findLastPlace(server: RunningServer, client: TestClient): Promise<number> {
  return (await loadQueued(server, client)).at(-1)?.seq ?? 0;
}

/** What is raised in the client's ledger by what happens after this call. */
export async function watch(
  server: RunningServer,
  client: TestClient,
): Promise<() => Promise<{ signals: string[]; events: Queued[] }>> {
  const last = await findLastPlace(server, client);
  return () => loadRaised(server, client, last);
}

/**
 * A record of the kind in a ledger in which every signal is subscribed to, or those that begin so; the scene's record is
 * not made yet.
 */
export async function setSubscribedScene(url: string, name: KindName, begin?: string): Promise<Scene> {
  const scene = await setScene(url, name);
  // The record of a ledger is there from its birth.
  if (name === 'ledger') await make(scene);
  await subscribeToAll(scene.client, begin);
  return scene;
}

/** A row of the table, as far as tests look at it. */
export interface DeliveryRow {
  readonly handle: string;
  readonly effect_handle: string;
  readonly linked: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly tries: number;
  readonly moment: Date;
  readonly attempted: Date | null;
  readonly due: Date | null;
  readonly proofs: string;
}

/** The rows of a ledger, in the order of their creation. */
export function loadRows(server: RunningServer, { ledger }: TestClient): Promise<DeliveryRow[]> {
  return query(
    server,
    'select d.* from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 order by d.seq',
    [ledger],
  );
}

/** Sets columns of deliveries, as attempts and time would have. */
export async function setDelivery(
  server: RunningServer,
  handle: string,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  await query(server, `update delivery set ${names.join(', ')} where handle = $1`, [handle, ...Object.values(columns)]);
}
