import { createHmac } from 'node:crypto';
import {
  hash as hashOf,
  isObject,
  type JsonObject,
  LedgerError,
  type RecordEnvelope,
  readJson,
} from '@countersign/protocol';
import { defined } from '../base/defined.js';
import { stages } from '../forwarding/stage.js';
import { kindNamed } from '../kinds/registry.js';
import type { Service } from '../ledgers/service.js';
import type { Session } from '../ledgers/session.js';
import { createRecord } from '../operations/create/create.js';
import type { ReportWindow } from './judge.js';

/** What a report is made of. */
export interface ReportOrder {
  /** The policy that asks for it. */
  readonly policy: Pick<RecordEnvelope, 'luid' | 'data' | 'meta'>;
  readonly window: ReportWindow;
}

/**
 * Creates the report of an instant, by the operation of clients and signed by `system`
 * (interface/policies#schedule-policies). All of it follows from policy and instant: whoever creates it again, after a
 * crash or at the same time, finds it there.
 *
 * @param session the ledger's own, with the task that its work is charged to
 * @returns `repeated` when it was there already
 * @throws LedgerError when the ledger refuses it; anything else when it could not be tried
 */
export async function createScheduledReport(session: Session, order: ReportOrder): Promise<'created' | 'repeated'> {
  const { ledger, suite } = session;
  const { meta, data: policy } = order.policy;
  const data = await makeReportData(session, order);
  const hash = hashOf(data, suite);
  const custom: JsonObject = {
    moment: new Date(order.window.end).toISOString(),
    status: 'created',
    policy: String(policy.handle),
    ...defined({ domain: meta.domain }),
  };
  const body = { hash, data, meta: { proofs: [{ ...ledger.system.sign(hash, custom) }] } };
  const command = { params: {}, query: '', body, token: undefined, request: REPORT_REQUEST };
  try {
    const { status } = await createRecord.perform(session, kindNamed('report'), command, stages);
    return status === 201 ? 'created' : 'repeated';
  } catch (error) {
    if (error instanceof LedgerError && error.reason === 'record.duplicated') return 'repeated';
    throw error;
  }
}

/**
 * Stands for the client's request, of which only bridges are told. Policies hand no report over to a bridge, so nothing reads
 * it.
 */
const REPORT_REQUEST = { method: 'POST', url: '/reports', headers: {} };

async function makeReportData(session: Session, { policy, window }: ReportOrder): Promise<JsonObject> {
  const { luid, data } = policy;
  const inputs = isObject(data.inputs) ? data.inputs : {};
  const custom: JsonObject = isObject(inputs.custom) ? { ...inputs.custom } : {};
  const members = await findCustomMembers(session, String(inputs.schema));
  if (members.has('start_timestamp')) custom.start_timestamp = new Date(window.begin).toISOString();
  if (members.has('end_timestamp')) custom.end_timestamp = new Date(window.end).toISOString();
  return {
    handle: makeReportHandle(session, [session.ledger.luid, luid, window.end]),
    schema: String(inputs.schema),
    ...(Object.keys(custom).length === 0 ? {} : { custom }),
  };
}

/** The members of `custom` that a schema describes. */
async function findCustomMembers({ store, ledger }: Session, handle: string): Promise<ReadonlySet<string>> {
  const { record } = await store.findVersion({ ledger: ledger.id, kind: 'schema', id: handle, by: 'handle' });
  const { data } = readJson(record?.body ?? '{"data":{}}') as Pick<RecordEnvelope, 'data'>;
  const path = ['schema', 'properties', 'custom', 'properties'];
  const members = path.reduce((value: JsonObject, step) => {
    const inner = Object.hasOwn(value, step) ? value[step] : undefined;
    return isObject(inner) ? inner : {};
  }, data);
  return new Set(Object.keys(members));
}

/** Characters of a handle that the ledger makes: as many as the second part of a luid has. */
const HANDLE_LENGTH = 17;

/**
 * The handle of the report of an instant: the idempotency key of its creation. It is made with a secret key, so that nobody
 * can know it beforehand and take it.
 */
function makeReportHandle({ keys }: Service, named: readonly (string | number)[]): string {
  const key = createHmac('sha256', keys.codes).update('countersign:schedules:1').digest();
  return createHmac('sha256', key).update(JSON.stringify(named)).digest('base64url').slice(0, HANDLE_LENGTH);
}
