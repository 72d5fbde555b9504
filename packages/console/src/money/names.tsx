import { Link } from '@tanstack/react-router';
import { useLedger } from '../session/context.js';
import { Plain } from '../ui/plain.js';

/** The name of a wallet, which leads to its balances and movements. */
export function WalletName({ handle, symbol }: { readonly handle: string; readonly symbol?: string | undefined }) {
  const { name: ledger } = useLedger();
  return (
    <Link
      to="/l/$ledger/money/wallet/$id"
      params={{ ledger, id: handle }}
      search={symbol === undefined ? {} : { symbol }}
    >
      <Plain value={handle} most={40} />
    </Link>
  );
}

/** The name of an intent, which leads to its picture. */
export function IntentName({ id, handle }: { readonly id: string; readonly handle: string }) {
  const { name: ledger } = useLedger();
  return (
    <Link to="/l/$ledger/money/intent/$id" params={{ ledger, id }}>
      <Plain value={handle} most={40} />
    </Link>
  );
}
