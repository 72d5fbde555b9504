import { Link } from '@tanstack/react-router';
import { findKind } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { doingsOf, doingsOn } from './operations.js';

interface CreateLinkProps {
  readonly kind: string;
  readonly parent: string | undefined;
}

/** Leads to the form of a new record. */
export function CreateLink({ kind, parent }: CreateLinkProps) {
  const { name: ledger } = useLedger();
  const found = findKind(kind);
  if (found === undefined || !doingsOf(found).includes('create')) return null;
  if (found.parent !== undefined && parent === undefined) return null;
  return (
    <Link
      className="button"
      to="/l/$ledger/do/$operation/$kind"
      params={{ ledger, operation: 'create', kind }}
      search={parent === undefined ? {} : { parent }}
    >
      {doingText.form.titles.create(found.title)}
    </Link>
  );
}

/** Leads to the forms of what can be done with a record. */
export function ActionLinks({
  kind,
  parent,
  id,
  status,
}: CreateLinkProps & { readonly id: string; readonly status: unknown }) {
  const { name: ledger } = useLedger();
  const found = findKind(kind);
  if (found === undefined) return null;
  return (
    <nav className="actions" aria-label={doingText.form.more}>
      {doingsOn(found, status).map((operation) => (
        <Link
          key={operation}
          className="button"
          to="/l/$ledger/do/$operation/$kind/$id"
          params={{ ledger, operation, kind, id }}
          search={parent === undefined ? {} : { parent }}
        >
          {doingText.form.actions[operation]}
        </Link>
      ))}
      {found.operations.some(({ name }) => name === 'events') && (
        <Link className="button" to="/l/$ledger/deliveries/$kind/$id" params={{ ledger, kind, id }}>
          {doingText.form.deliveries}
        </Link>
      )}
    </nav>
  );
}
