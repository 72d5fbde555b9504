import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Caller } from '../access/caller.js';
import type { Subject } from '../access/context.js';
import { judgeAccess } from '../access/decide.js';
import { refuseForPermissions } from '../access/refusal.js';
import { type SealedSecret, secretValues } from '../auth/secret-values.js';
import type { Kind } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';
import type { Answer } from '../records/command.js';
import { recordText } from '../records/version.js';
import { contextOf } from './context.js';

/**
 * @throws `auth.forbidden` `Missing permissions` unless the caller may `reveal`; `auth.unauthorized` when it has
 *   neither token nor proof (interface/signers#secrets)
 */
export async function assertMayReveal(session: Session, kind: Kind, caller: Caller, subject: Subject): Promise<void> {
  await session.task.turn();
  const context = contextOf(session, subject);
  const record = kind.secrets.reveals ?? '';
  const judgement = judgeAccess('reveal', record, caller, context);
  const handle = String(subject.data.handle);
  session.explain?.({ ledger: session.ledger.handle, action: 'reveal', record, handle, ...judgement });
  if (judgement.granted) return;
  await session.task.turn();
  throw refuseForPermissions('reveal', record, caller, context);
}

/**
 * The answer with the values of the record's secrets as the last member of `meta`, marked confidential so that caches
 * do not keep it. A record that has no secrets is answered as it is.
 *
 * @param secrets those of the record, looked up unless given; only names that its data refers to are shown
 */
export async function revealSecrets(
  session: Session,
  kind: Kind,
  answer: { readonly status: number; readonly body: string },
  secrets?: readonly SealedSecret[],
): Promise<Answer> {
  const { hash, data, luid, meta } = readJson(answer.body) as RecordEnvelope;
  const held = secrets ?? (await session.store.secrets({ ledger: session.ledger.id, luid }));
  const named = kind.secrets.names?.(data) ?? [];
  const shown = held.filter(({ name }) => named.includes(name));
  if (shown.length === 0) return answer;
  if (session.facts) session.facts.revealed = luid;
  const secret = Object.fromEntries(secretValues(session, luid, shown));
  const shownMeta = { ...meta, secret };
  return { ...answer, body: recordText({ hash, data, luid, meta: shownMeta }), confidential: true };
}
