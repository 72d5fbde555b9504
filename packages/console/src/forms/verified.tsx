import type { Signed } from '@countersign/client';
import { type ReactNode, useMemo } from 'react';
import { kindOfLuid } from '../kinds/kinds.js';
import { doingText } from '../text/doing.js';
import { JsonText } from '../ui/json.js';
import { Notice } from '../ui/notice.js';
import { RecordLink } from '../ui/record-link.js';
import { judge } from '../verify/judge.js';

interface VerifiedProps {
  readonly record: Signed;
  readonly systemKey: string;
  readonly ledger: string;
  readonly parent?: string | undefined;
  readonly title?: ReactNode;
  /** Whether one line is enough for what holds. */
  readonly isBrief?: boolean;
}

/** What a write came to, judged here by its own bytes. */
export function Verified({ record, systemKey, ledger, parent, title, isBrief = false }: VerifiedProps) {
  const verdict = useMemo(() => judge(record, systemKey), [record, systemKey]);
  const kind = kindOfLuid(record.luid);
  if (isBrief && verdict.isFine && kind) {
    return (
      <p className="made">
        <span className="tick" aria-hidden="true">
          ✓
        </span>
        <span>
          {title} {doingText.made.fine(verdict.proofs.length)}{' '}
          <RecordLink to={{ ledger, kind: kind.record, id: record.luid, parent }}>{doingText.made.open}</RecordLink>
        </span>
      </p>
    );
  }
  return (
    <Notice
      tone={verdict.isFine ? 'good' : 'bad'}
      title={
        <>
          {title} {verdict.isFine ? doingText.made.fine(verdict.proofs.length) : doingText.made.bad}
        </>
      }
    >
      {kind && (
        <p>
          <RecordLink to={{ ledger, kind: kind.record, id: record.luid, parent }}>{doingText.made.open}</RecordLink>
        </p>
      )}
      <details>
        <summary>{doingText.made.json}</summary>
        <JsonText value={record} label={doingText.made.json} />
      </details>
    </Notice>
  );
}
