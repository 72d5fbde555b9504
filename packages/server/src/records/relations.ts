import { type JsonObject, LedgerError } from '@countersign/protocol';
import type { Kind, KindName } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import { assertCurrent } from './attempt.js';

/**
 * The records `data` names, found to exist. The commit looks once more, and keeps them from being dropped meanwhile.
 *
 * @throws `record.relation-not-found` for the first one missing, in the kind's order (contract 01 §12)
 */
export async function foundRelations(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  data: JsonObject,
): Promise<{ kind: KindName; handle: string }[]> {
  const relations = kind.relations?.(data) ?? [];
  const found = await Promise.all(
    relations.map((relation) =>
      service.store.lookup({ ledger: ledger.id, kind: relation.kind, id: relation.handle, by: 'handle' }),
    ),
  );
  found.forEach(({ version, record }, index) => {
    assertCurrent(ledger, version);
    if (!record) throw new LedgerError('record.relation-not-found', relations[index]?.missing ?? '');
  });
  return relations.map(({ kind: related, handle }) => ({ kind: related, handle }));
}
