import type { Signed } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { moneyText } from '../text/money.js';
import { Badge } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { ClaimsPicture } from './claims-picture.js';
import { type MoneyKeys, proveIntentByKeys } from './intent.js';
import { IntentName } from './names.js';
import { readThread } from './thread.js';

/** The intents that follow from one another with this one, each as a picture. */
export function ThreadSection({ record, keys }: { readonly record: Signed; readonly keys: MoneyKeys }) {
  const ledger = useLedger();
  const thread = useQuery({
    queryKey: [...scopeOf(ledger), 'thread', record.luid, record.meta.status],
    queryFn: () => readThread(ledger.client, record, (one) => proveIntentByKeys(one, keys)),
  });
  if (thread.error) {
    return (
      <>
        <h2>{moneyText.thread}</h2>
        <Fault error={thread.error} retry={() => void thread.refetch()} />
      </>
    );
  }
  if (!thread.data) return null;
  const { intents, hasGap } = thread.data;
  if (intents.length < 2) return <p className="hint">{hasGap ? moneyText.threadGap : moneyText.threadAlone}</p>;
  return (
    <>
      <h2>{moneyText.thread}</h2>
      <p className="hint">
        {moneyText.threadAbout} <code>{String(record.meta.thread).slice(0, 17)}</code>
      </p>
      {hasGap && <p className="hint">{moneyText.threadGap}</p>}
      <ol className="thread">
        {intents.map((one) => (
          <li key={one.luid} aria-current={one.luid === record.luid ? 'step' : undefined}>
            <p>
              {one.luid === record.luid ? (
                <strong>
                  <Plain value={String(one.data.handle)} most={40} /> ({moneyText.thisOne})
                </strong>
              ) : (
                <IntentName id={one.luid} handle={String(one.data.handle)} />
              )}{' '}
              <Badge tone="plain">
                <Plain value={String(one.meta.status).slice(0, 60)} />
              </Badge>
            </p>
            {one.luid !== record.luid && <ClaimsPicture record={one} proven={proveIntentByKeys(one, keys)} />}
          </li>
        ))}
      </ol>
    </>
  );
}
