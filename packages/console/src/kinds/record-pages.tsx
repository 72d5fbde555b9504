import { Link } from '@tanstack/react-router';
import { accessText } from '../text/access.js';
import { moneyText } from '../text/money.js';
import type { KindDescription } from './kinds.js';

interface RecordPagesProps {
  readonly ledger: string;
  readonly kind: KindDescription;
  readonly id: string;
}

/** Leads from a record to the pages that are made for its kind, and to who may do what to it. */
export function RecordPages({ ledger, kind: { record, parent, operations }, id }: RecordPagesProps) {
  const isAsked = parent === undefined && operations.some(({ name }) => name === 'check');
  return (
    <>
      {record === 'intent' && (
        <Link to="/l/$ledger/money/intent/$id" params={{ ledger, id }}>
          {moneyText.picture}
        </Link>
      )}
      {record === 'wallet' && (
        <Link to="/l/$ledger/money/wallet/$id" params={{ ledger, id }} search={{}}>
          {moneyText.walletPicture}
        </Link>
      )}
      {isAsked && (
        <Link
          to="/l/$ledger/access"
          params={{ ledger }}
          search={{ kind: record, ...(record === 'ledger' ? {} : { id }) }}
        >
          {accessText.title}
        </Link>
      )}
    </>
  );
}
