import type { Signed } from '@countersign/client';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { JsonTokens } from '../ui/json-tokens.js';
import { Badge } from '../ui/notice.js';
import { Scroll } from '../ui/scroll.js';
import { isWhole, type Verdict } from '../verify/judge.js';
import { Compare } from './compare.js';

const { steps: texts } = recordText;

/** The steps that a verdict came about by, each with what was computed. */
export function VerdictSteps({ record, verdict }: { readonly record: Signed; readonly verdict: Verdict }) {
  const { countersignature, proofs } = verdict;
  return (
    <details className="steps" open={!verdict.isFine}>
      <summary>
        <h2>{texts.title}</h2>
      </summary>
      <ol>
        <li>
          <h3>{texts.canonical}</h3>
          <p className="hint">{texts.canonicalAbout}</p>
          <Scroll className="bytes" label={texts.canonical}>
            <code>
              <JsonTokens text={verdict.canonical} />
            </code>
          </Scroll>
        </li>
        <li>
          <h3>
            {texts.hash} <StepMark isFine={verdict.isHash} />
          </h3>
          <p className="hint">{texts.hashAbout}</p>
          <Compare said={String(record.hash)} computed={verdict.hash} label={recordText.hash} />
        </li>
        <li>
          <h3>
            {texts.proofs} <StepMark isFine={proofs.every(isWhole)} />
          </h3>
        </li>
        <li>
          <h3>
            {texts.ledger} <StepMark isFine={countersignature !== undefined} />
          </h3>
          {countersignature ? (
            <Code value={countersignature.proof.public} label={recordText.key} length={44} />
          ) : (
            <p>{texts.none}</p>
          )}
        </li>
        <li>
          <h3>
            {texts.status} {verdict.status !== 'open' && <StepMark isFine={verdict.status === 'given'} />}
          </h3>
          {verdict.status === 'open' && <p>{texts.statusOpen}</p>}
        </li>
      </ol>
    </details>
  );
}

function StepMark({ isFine }: { readonly isFine: boolean }) {
  return <Badge tone={isFine ? 'good' : 'bad'}>{isFine ? `✓ ${recordText.holds}` : `✕ ${recordText.broken}`}</Badge>;
}
