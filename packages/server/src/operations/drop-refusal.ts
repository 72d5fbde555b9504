import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { mayUseBridge } from '../events/bridge-border.js';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import { findDependantRefusal } from '../records/dependants.js';
import type { HeldName } from '../store/money/holds.js';

/**
 * Why a record cannot be dropped: other records name it, effects or policies use it, or money depends on it
 * (interface/wallets#drop, interface/bridges#drop). The commit checks all of it again.
 *
 * @returns the first refusal; undefined when the record is free to go
 */
export async function findDropRefusal(
  session: Session,
  kind: Kind,
  record: RecordEnvelope,
): Promise<{ readonly detail: string; readonly custom?: JsonObject } | undefined> {
  const handle = String(record.data.handle);
  const dependants = await findDependantRefusal(session, kind, handle);
  if (dependants) return dependants;
  // A change of effects or policies makes a new version of the ledger, which the commit checks.
  const user = kind.links.users?.find(({ part }) => USE[part](session.ledger, record));
  if (user) return { detail: user.refusal(handle) };
  const held = holderOf(kind, record);
  const symbols = held ? await session.store.holds({ ledger: session.ledger.id, ...held }) : [];
  return symbols.length > 0 ? kind.links.holds?.refusal(handle, symbols) : undefined;
}

/** What balances and intents under way name the record by; undefined for kinds that they do not name. */
export function holderOf(kind: Kind, { data, luid }: RecordEnvelope): HeldName | undefined {
  const by = kind.links.holds?.by;
  return by && { by, id: by === 'wallet' ? luid : String(data.handle) };
}

/**
 * Whether effects, or processing policies, lead to the bridge. Effects of a domain across whose border the bridge counts as
 * missing do not hold it.
 */
const USE: Readonly<Record<'effects' | 'policies', (ledger: Ledger, bridge: RecordEnvelope) => boolean>> = {
  effects: (ledger, { data, meta }) =>
    [...ledger.effects.values()].some((effects) =>
      effects.some(
        ({ action, domain }) =>
          'bridge' in action && action.bridge === data.handle && mayUseBridge(ledger, domain, meta.domain),
      ),
    ),
  policies: (ledger, { data }) =>
    [...ledger.policies.values()].some(
      ({ schema, values }) =>
        schema === 'processing' &&
        values.some((value) => (value as unknown as InvokeValue).invoke.bridge === data.handle),
    ),
};

/** A value of a processing policy; its shape was checked when it was stored (kinds/policies/shapes.ts). */
interface InvokeValue {
  readonly invoke: { readonly bridge: string };
}
