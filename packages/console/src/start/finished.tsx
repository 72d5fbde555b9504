import { formatAmount } from '@countersign/client/amounts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import type { Progress } from './progress.js';

/** The end of the first steps: what the wallets have now, and where to go on. */
export function Finished({ progress: { symbol, wallets, transfer } }: { readonly progress: Progress }) {
  const ledger = useLedger();
  const { client, name } = ledger;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const handles = wallets.map(({ data }) => data.handle);
  const unit = symbol?.data.handle ?? '';
  const balances = useQuery({
    queryKey: [...scopeOf(ledger), 'balances', ...handles],
    queryFn: () =>
      Promise.all(handles.map(async (wallet) => ({ wallet, all: await client.wallets.balances(wallet).all() }))),
  });
  return (
    <li className="finished">
      <h2 tabIndex={-1} ref={title}>
        {doingText.begin.finished.title}
      </h2>
      <p>{doingText.begin.finished.about}</p>
      <dl className="facts" aria-label={doingText.begin.finished.balances}>
        {balances.data?.map(({ wallet, all }) => (
          <div className="fact" key={wallet}>
            <dt>
              <Plain value={wallet} most={60} />
            </dt>
            <dd>
              {all
                .filter(({ data }) => data.schema === 'available' && data.symbol === unit)
                .map(({ data }) => `${formatAmount(Number(data.amount), symbol?.data.factor ?? 1)} ${unit}`)
                .join(', ')}
            </dd>
          </div>
        ))}
      </dl>
      <p className="buttons">
        {transfer && (
          <RecordLink to={{ ledger: name, kind: 'intent', id: transfer.luid }}>
            {doingText.begin.finished.open}
          </RecordLink>
        )}
        <Link to="/l/$ledger" params={{ ledger: name }}>
          {doingText.begin.finished.overview}
        </Link>
      </p>
    </li>
  );
}
