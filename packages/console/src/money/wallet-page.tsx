import './money.css';
import type { Schemas, Signed } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { moneyText } from '../text/money.js';
import { Badge, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { useAmounts } from './factors.js';
import { integerOf } from './intent.js';
import { useMoneyKeys } from './keys.js';
import { MovementsSection } from './movements-section.js';

/** Balances and limits that are read of a wallet. */
const MOST_BALANCES = 1000;

/** A wallet with its balances and limits, as lists that the ledger has signed. */
interface WalletMoney {
  readonly record: Signed;
  readonly balances: readonly Schemas['balance'][];
  readonly limits: readonly Schemas['wallet-limit'][];
}

/** A wallet: what it holds, held, and what moved it. */
export function WalletPage() {
  const { id } = useParams({ from: '/l/$ledger/money/wallet/$id' });
  const ledger = useLedger();
  const keys = useMoneyKeys();
  const wallet = useQuery({
    queryKey: [...scopeOf(ledger), 'wallet-money', id],
    queryFn: async (): Promise<WalletMoney> => {
      const { wallets } = ledger.client;
      const record = (await wallets.get(id)) as unknown as Signed;
      const [balances, limits] = await Promise.all([
        wallets.balances(id).all(MOST_BALANCES),
        wallets.limits(id).all(MOST_BALANCES),
      ]);
      return { record, balances, limits };
    },
  });
  const error = wallet.error ?? keys.error;
  if (error) return <Fault error={error} retry={() => void wallet.refetch()} />;
  if (!wallet.data || !keys.data) return <Skeleton lines={10} label={text.loading} />;
  const { record } = wallet.data;
  return (
    <article key={id}>
      <header className="page-head">
        <p className="crumb">
          <RecordLink to={{ ledger: ledger.name, kind: 'wallet', id: record.luid }}>{moneyText.openRecord}</RecordLink>
        </p>
        <h1>
          <Plain value={String(record.data.handle)} most={120} /> <Badge tone="plain">{moneyText.wallet}</Badge>
        </h1>
      </header>
      <Holdings money={wallet.data} />
    </article>
  );
}

function Holdings({ money: { record, balances, limits } }: { readonly money: WalletMoney }) {
  const keys = useMoneyKeys();
  const { symbol: asked } = useSearch({ from: '/l/$ledger/money/wallet/$id' });
  const navigate = useNavigate({ from: '/l/$ledger/money/wallet/$id' });
  const symbols = [...new Set([...balances, ...limits].map(({ data }) => String(data.symbol)))];
  const write = useAmounts(symbols);
  const chosen = asked ?? symbols[0];
  const amountOf = (symbol: string, schema: string) =>
    integerOf(balances.find(({ data }) => data.symbol === symbol && data.schema === schema)?.data.amount);
  if (symbols.length === 0) return <p className="hint">{moneyText.noBalances}</p>;
  return (
    <>
      <h2>{moneyText.balances}</h2>
      <ul className="holdings">
        {symbols.map((symbol) => (
          <li key={symbol}>
            <button
              type="button"
              className="holding"
              aria-pressed={symbol === chosen}
              onClick={() => void navigate({ search: { symbol } })}
            >
              <span className="hint">
                <Plain value={symbol} most={40} />
              </span>
              <strong>{write(amountOf(symbol, 'available'), symbol)}</strong>
              <span className="hint">
                {moneyText.reserved} {write(amountOf(symbol, 'reserved'), symbol)}
              </span>
              {limits
                .filter(({ data }) => data.symbol === symbol)
                .map(({ data }) => (
                  <span className="hint" key={data.metric}>
                    {data.metric} {data.metric === 'dailyCount' ? data.amount : write(integerOf(data.amount), symbol)}
                  </span>
                ))}
            </button>
          </li>
        ))}
      </ul>
      <p className="hint">
        <span className="tick">✓</span> {moneyText.said}
      </p>
      {chosen !== undefined && keys.data && (
        <MovementsSection
          key={chosen}
          wallet={String(record.data.handle)}
          symbol={chosen}
          available={amountOf(chosen, 'available')}
          keys={keys.data}
        />
      )}
    </>
  );
}
