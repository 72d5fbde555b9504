import type { RecordEnvelope } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { judge } from '../access/decide.js';
import { missingPermissions } from '../access/refusal.js';
import { type SealedSecret, secretValues } from '../auth/secret-values.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../ledgers/service.js';
import { contextOf } from './context.js';
import { parametersOf } from '../lists/query.js';
import type { Answer, Request } from '../operations/request.js';
import { recordText } from '../records/serve.js';

/** `include`, alone or as a list: `include[0]`, `include[]`. */
const INCLUDE = /^include(\[\d*\])?$/;

/**
 * Whether the request asks for the values of the record's secrets, `include=meta.secret`, of a kind that shows them
 * (contract 03 §2.4). Asked of other kinds it means nothing, like every unknown parameter.
 *
 * @throws `api.query-malformed` for a query that cannot be read
 */
export function asksForSecrets(kind: Kind, request: Request): boolean {
  if (kind.reveals === undefined || request.query === '') return false;
  return parametersOf(request.query).some(([name, value]) => INCLUDE.test(name) && value === 'meta.secret');
}

/**
 * @throws `auth.forbidden` `Missing permissions` unless the caller may `reveal`; `auth.unauthorized` for who has neither
 *   token nor proof (contract 03 §2.4)
 */
export async function assertMayReveal(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  caller: Caller,
  subject: Subject,
): Promise<void> {
  await service.task.turn();
  const context = contextOf(service, ledger, subject);
  const record = kind.reveals ?? '';
  const judgement = judge('reveal', record, caller, context);
  const handle = String(subject.data.handle);
  service.explain?.({ ledger: ledger.handle, action: 'reveal', record, handle, ...judgement });
  if (judgement.granted) return;
  await service.task.turn();
  throw missingPermissions('reveal', record, caller, context);
}

/**
 * The answer with the values of the record's secrets as the last member of `meta`, never to be kept on its way. A record
 * without secrets is answered as it is.
 *
 * @param secrets those of the record, looked up unless given; names its data does not refer to are left out
 */
export async function revealed(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  answer: { readonly status: number; readonly body: string },
  secrets?: readonly SealedSecret[],
): Promise<Answer> {
  const { hash, data, luid, meta } = JSON.parse(answer.body) as RecordEnvelope;
  const held = secrets ?? (await service.store.secrets({ ledger: ledger.id, luid }));
  const named = kind.secrets?.(data) ?? [];
  const shown = held.filter(({ name }) => named.includes(name));
  if (shown.length === 0) return answer;
  const secret = Object.fromEntries(secretValues(service, ledger, luid, shown));
  const shownMeta = { ...meta, secret };
  return { ...answer, body: recordText({ hash, data, luid, meta: shownMeta }), confidential: true };
}
