import './watch.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { lineOf } from '../kinds/columns.js';
import { findKind, nameMember } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { watchText } from '../text/watch.js';
import { Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Time } from '../ui/time.js';
import { type Change, ChangeReader, changeMoment, changeVersion } from './changes.js';
import { POLLED } from './polling.js';
import { Receive } from './receive.js';

/** What changes in a ledger, as it does. */
export function WatchPage() {
  const ledger = useLedger();
  const reader = useMemo(() => new ChangeReader(ledger), [ledger]);
  const changes = useQuery({
    queryKey: [...scopeOf(ledger), 'watch'],
    queryFn: () => reader.read(),
    gcTime: 0,
    staleTime: 0,
    ...POLLED,
  });
  const found = changes.data ?? [];
  return (
    <>
      <header className="page-head">
        <h1>{watchText.title}</h1>
        <p>{watchText.about}</p>
        <Receive />
      </header>
      {changes.error && <Fault error={changes.error} retry={() => void changes.refetch()} />}
      {changes.isPending && <Skeleton lines={6} label={text.loading} />}
      {changes.data && (
        <p aria-live="polite">{found.length === 0 ? watchText.waiting : watchText.count(found.length)}</p>
      )}
      {found.length > 0 && (
        <div className="watch-frame">
          <table className="watch">
            <thead>
              <tr>
                {[watchText.moment, watchText.kind, watchText.record, watchText.status, watchText.by].map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.map((change) => (
                <ChangeItem key={changeVersion(change)} change={change} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function ChangeItem({ change }: { readonly change: Change }) {
  const { name: ledger } = useLedger();
  const { record } = change;
  const kind = findKind(change.kind);
  const named = kind ? lineOf(record.data[nameMember(kind)]) : '';
  const last = record.meta.proofs.at(-1);
  return (
    <tr>
      <td>
        <Time moment={changeMoment(change)} />
      </td>
      <td>{kind?.title}</td>
      <td>
        <RecordLink to={{ ledger, kind: change.kind, id: record.luid }}>
          <Plain value={named || record.luid} most={60} />
        </RecordLink>
      </td>
      <td>
        <Plain value={String(record.meta.status ?? '')} most={40} />
      </td>
      <td>
        <Plain value={String(last?.signer ?? last?.public ?? '')} most={44} />
      </td>
    </tr>
  );
}
