import type { WebhookHeaders } from '@countersign/protocol';
import pg from 'pg';
import { native } from '../../src/auth/native-suite.js';
import { makeEvent, outputOf } from '../../src/deliveries/output.js';
import { type EventPlan, referenceKey, referencesOf } from '../../src/events/event.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import type { TestClient } from './client.js';
import type { RunningServer } from './server.js';

/** A delivery that waits in the outbox, as it is sent. */
export interface Outgoing {
  /** The handle of the event. */
  readonly id: string;
  readonly body: string;
  /** The headers of an attempt, now unless given. */
  headers(attempted?: Date): WebhookHeaders;
}

/** Deliveries of a ledger in the order in which they were queued, made of the server's own parts. */
export async function outgoingOf(running: RunningServer, client: TestClient): Promise<Outgoing[]> {
  const { system } = await running.server.service.ledgers.resolve(client.ledger ?? '');
  const database = new pg.Client({ connectionString: running.database.url });
  await database.connect();
  const { rows } = await database.query<{ event: string; ledger_id: string }>(
    'select d.event, d.ledger_id from delivery d join ledger l on l.id = d.ledger_id where l.handle = $1 order by d.seq',
    [client.ledger],
  );
  const outgoing: Outgoing[] = [];
  for (const { event, ledger_id } of rows) {
    const plan = JSON.parse(event) as EventPlan;
    const texts = new Map<string, string>();
    for (const reference of referencesOf(plan)) {
      const [, luid, change] = reference;
      const found = await database.query<{ body: string }>(
        'select body from version where ledger_id = $1 and luid = $2 and change = $3',
        [ledger_id, luid, change],
      );
      texts.set(referenceKey(reference), found.rows[0]?.body ?? '');
    }
    const composed = await makeEvent(plan, texts, native, UNBOUNDED);
    const body = outputOf(composed, system, new Date());
    outgoing.push({
      id: plan.handle,
      body,
      headers: (attempted = new Date()) => system.webhook(plan.handle, attempted, body),
    });
  }
  await database.end();
  return outgoing;
}
