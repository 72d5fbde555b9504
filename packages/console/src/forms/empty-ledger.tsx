import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { scopeOf, useLedger } from '../session/context.js';
import { doingText } from '../text/doing.js';
import { Notice } from '../ui/notice.js';

/** Leads to the first transfer, from a ledger in which nothing has moved. */
export function EmptyLedger() {
  const ledger = useLedger();
  const { data: isEmpty } = useQuery({
    queryKey: [...scopeOf(ledger), 'empty'],
    queryFn: async () => (await ledger.client.intents.list({ limit: 1 }).first()) === undefined,
  });
  if (!isEmpty) return null;
  return (
    <Notice tone="plain" title={doingText.begin.empty}>
      <p>
        <Link to="/l/$ledger/begin" params={{ ledger: ledger.name }}>
          {doingText.begin.resume}
        </Link>
      </p>
    </Notice>
  );
}
