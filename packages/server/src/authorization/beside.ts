import type { Caller } from '../access/caller.js';
import type { Kind } from '../kinds/kind.js';
import { kindNamed } from '../kinds/registry.js';
import { isInDomain, type Ledger } from '../ledgers/ledger.js';
import type { Session } from '../ledgers/session.js';
import type { RelatedRecord } from '../records/data-rules.js';
import { type AskedNew, authorizeIn } from './authorize.js';

/**
 * Checks the right to create a record that keeps others from being dropped, in the domain of each of those that lies
 * beside its own.
 *
 * @param related the records that its data names
 * @throws as `authorize` does
 */
export async function authorizeBeside(
  session: Session,
  caller: Caller,
  asked: AskedNew,
  related: readonly RelatedRecord[],
): Promise<void> {
  for (const { domain } of findHeldInSiblingDomains(session.ledger, asked.kind, related, asked.subject.meta.domain)) {
    await authorizeIn(session, caller, asked, domain);
  }
}

/**
 * The named records that lie in a domain beside that of the record, rather than above or below, and that cannot be
 * dropped while it names them.
 */
function findHeldInSiblingDomains(
  ledger: Ledger,
  kind: Kind,
  related: readonly RelatedRecord[],
  domain: string | undefined,
): readonly RelatedRecord[] {
  return related.filter(
    (one) =>
      kindNamed(one.kind).links.dependants?.some((dependants) => dependants.kind === kind.name) &&
      !isInDomain(ledger, one.domain, domain) &&
      !isInDomain(ledger, domain, one.domain),
  );
}
