import type { Signed } from '@countersign/client';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { Skeleton } from '../ui/notice.js';
import { HistoryTimeline } from './history.js';
import { LogFailure, LogProof } from './log.js';
import { States } from './states.js';
import { TakeAway } from './take-away.js';
import { useHistory } from './use-history.js';
import type { RecordAsked } from './use-record.js';
import { policyOf, useSealed } from './use-sealed.js';

interface InTimeProps {
  readonly asked: RecordAsked;
  readonly record: Signed;
  /** When the ledger has countersigned. */
  readonly accepted: string | undefined;
}

/** A record among its versions, and in the log. */
export function InTime({ asked, record, accepted }: InTimeProps) {
  const { kind, parent, id } = asked;
  const ledger = useLedger();
  const [policy, setPolicy] = useState(policyOf(ledger));
  const history = useHistory(kind, record.luid, parent);
  const versions = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const own = asked.change === undefined ? versions[0] : record;
  const change = own && Number(own.meta.change);
  const place = own && { kind, parent, luid: record.luid, change: Number(change), action: String(own.meta.action) };
  const sealed = useSealed(record, place, policy);
  const queries = useQueryClient();
  const isOther = sealed.data?.state === 'other';
  // Most often it was changed between two questions: both are asked anew.
  useEffect(() => {
    if (isOther) void queries.invalidateQueries({ queryKey: scopeOf(ledger), predicate: isOfRecords });
  }, [isOther, queries, ledger]);
  return (
    <>
      {sealed.error ? (
        <LogFailure error={sealed.error} />
      ) : (
        <States accepted={accepted} sealed={sealed.data} policy={policy} onPolicy={setPolicy} />
      )}
      {sealed.data && <LogProof sealed={sealed.data} />}
      {history.isPending && <Skeleton lines={4} label={text.loading} />}
      {history.error && <Fault error={history.error} retry={() => void history.refetch()} />}
      {history.data && (
        <HistoryTimeline
          versions={versions}
          hasMore={history.hasNextPage}
          onMore={() => void history.fetchNextPage()}
          kind={kind.record}
          parent={parent}
        />
      )}
      <TakeAway {...{ kind, id, parent, change }} sealed={sealed.data} />
    </>
  );
}

function isOfRecords({ queryKey }: Pick<Query, 'queryKey'>): boolean {
  return queryKey.includes('record') || queryKey.includes('history');
}
