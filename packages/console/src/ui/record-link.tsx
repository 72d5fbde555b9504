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

interface RecordLinkProps {
  readonly to: RecordAddress;
  readonly tabIndex?: number;
  readonly children: ReactNode;
}

/** A link to the page of a record. */
export function RecordLink({ to, tabIndex, children }: RecordLinkProps) {
  const { ledger, kind, id, parent } = to;
  return (
    <Link
      to="/l/$ledger/$kind/$id"
      params={{ ledger, kind, id }}
      search={parent === undefined ? {} : { parent }}
      tabIndex={tabIndex}
    >
      {children}
    </Link>
  );
}
