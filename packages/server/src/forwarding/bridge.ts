import { isObject, type JsonObject, LedgerError, type RecordEnvelope } from '@countersign/protocol';
import { secretValues } from '../auth/secret-values.js';
import { secretNames } from '../kinds/data.js';
import type { Session } from '../ledgers/session.js';

/** The address of a bridge, and the headers of calls to it. */
export interface Bridge {
  readonly handle: string;
  /** `config.server`. */
  readonly server: string;
  /** Headers from its security rules, with the values of their secrets; names in lower case, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * A current bridge of the ledger. The same query checks that the ledger's state is still the session's.
 *
 * @throws `forward.unexpected-error` for an unknown bridge (interface/forwarding#which-bridge); OutOfDate when the
 *   ledger has changed
 */
export async function bridgeOf(session: Session, handle: string): Promise<Bridge> {
  const { version, record } = await session.store.lookup({
    ledger: session.ledger.id,
    kind: 'bridge',
    id: handle,
    by: 'handle',
  });
  session.checked({ version: version });
  if (!record) {
    throw new LedgerError('forward.unexpected-error', `Forward bridge '${handle}' configured but not exists`);
  }
  const { data, luid } = JSON.parse(record.body) as RecordEnvelope;
  const { server } = data.config as { server: string };
  return { handle, server, headers: await securityHeaders(session, luid, data) };
}

/** The headers that the rules `header` of a bridge add to every call (interface/bridges#security-rules). */
async function securityHeaders(session: Session, luid: string, { secure }: JsonObject): Promise<Bridge['headers']> {
  const rules = Array.isArray(secure) ? secure.filter(isObject).filter(({ schema }) => schema === 'header') : [];
  if (rules.length === 0) return [];
  const secrets = await session.store.secrets({ ledger: session.ledger.id, luid });
  const values = secretValues(session, luid, secrets);
  return rules.flatMap(({ key, value }) => {
    const secret = values.get(secretNames([value])[0] ?? '');
    return secret === undefined ? [] : [[String(key).toLowerCase(), secret] as const];
  });
}
