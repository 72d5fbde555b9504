import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** Where a record is shown. */
export interface RecordAddress {
  readonly ledger: string;
  readonly kind: string;
  readonly id: string;
  /** The record above, of kinds that lie below others. */
  readonly parent?: string | undefined;
}

/** A link to the page of a record. */
export function RecordLink({ to, children }: { readonly to: RecordAddress; readonly children: ReactNode }) {
  const { ledger, kind, id, parent } = to;
  return (
    <Link to="/l/$ledger/$kind/$id" params={{ ledger, kind, id }} search={parent === undefined ? {} : { parent }}>
      {children}
    </Link>
  );
}
