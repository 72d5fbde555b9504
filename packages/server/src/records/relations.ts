import { type JsonObject, LedgerError, type RecordEnvelope, readJson } from '@countersign/protocol';
import type { Kind, KindName } from '../kinds/kind.js';
import type { Session } from '../ledgers/session.js';

/** A record that data names. */
export interface RelatedRecord {
  readonly kind: KindName;
  readonly handle: string;
  /** The domain it is in. */
  readonly domain?: string;
}

/**
 * The records `data` names, checked to exist. The commit checks again, and keeps them from being dropped meanwhile.
 *
 * @throws `record.relation-not-found` for the first one missing, in the kind's order (interface/errors#details)
 */
export async function findRelations(session: Session, kind: Kind, data: JsonObject): Promise<RelatedRecord[]> {
  const relations = kind.links.relations?.(data) ?? [];
  const found = await Promise.all(
    relations.map((relation) =>
      session.store.findVersion({ ledger: session.ledger.id, kind: relation.kind, id: relation.handle, by: 'handle' }),
    ),
  );
  found.forEach(({ version, record }, index) => {
    session.assertFresh({ version: version });
    if (!record) throw new LedgerError('record.relation-not-found', relations[index]?.missing ?? '');
  });
  return relations.map(({ kind: related, handle }, index) => {
    const domain = session.ledger.domains.size === 0 ? undefined : domainIn(found[index]?.record?.body);
    return { kind: related, handle, domain };
  });
}

function domainIn(body = '{"meta":{}}'): string | undefined {
  return (readJson(body) as RecordEnvelope).meta.domain;
}
