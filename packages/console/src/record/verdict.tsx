import { text } from '../text/en.js';
import { recordText } from '../text/record.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { isWhole, type Verdict } from '../verify/judge.js';
import type { ShownRecord } from './use-record.js';

/** The verdict on a record in one sentence, green only for what was computed here. */
export function VerdictNotice({ verdict, fault }: { verdict: Verdict; fault: ShownRecord['fault'] }) {
  const { countersignature, proofs } = verdict;
  if (verdict.isFine && fault === undefined) {
    return (
      <Notice tone="good" title={recordText.fine}>
        <p>
          {recordText.fineAbout(proofs.length)} {recordText.countersigned}{' '}
          <Time moment={String(countersignature?.proof.custom?.moment)} />
        </p>
      </Notice>
    );
  }
  const broken = proofs.filter((one) => !isWhole(one)).length;
  return (
    <Notice tone="bad" title={recordText.bad}>
      {!verdict.isHash && <p>{recordText.badHash}</p>}
      {broken > 0 && <p>{recordText.badProofs(broken)}</p>}
      {countersignature === undefined && <p>{recordText.badLedger}</p>}
      {verdict.status === 'false' && <p>{recordText.badStatus}</p>}
      {verdict.isFine && <p>{recordText.badOther}</p>}
      {fault && (
        <p>
          <Plain value={fault.message} />
        </p>
      )}
      <p>{text.fault.lieAbout}</p>
    </Notice>
  );
}
