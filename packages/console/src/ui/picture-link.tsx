import { Link } from '@tanstack/react-router';
import { moneyText } from '../text/money.js';

/** Leads from a record to the page that is made for its kind; nothing for other kinds. */
export function PictureLink({ ledger, kind, id }: { ledger: string; kind: string; id: string }) {
  if (kind === 'intent') {
    return (
      <Link to="/l/$ledger/money/intent/$id" params={{ ledger, id }}>
        {moneyText.picture}
      </Link>
    );
  }
  if (kind === 'wallet') {
    return (
      <Link to="/l/$ledger/money/wallet/$id" params={{ ledger, id }} search={{}}>
        {moneyText.walletPicture}
      </Link>
    );
  }
  return null;
}
