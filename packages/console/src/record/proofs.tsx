import { useState } from 'react';
import { recordText } from '../text/record.js';
import { Code } from '../ui/copy.js';
import { JsonText } from '../ui/json.js';
import { JsonTokens } from '../ui/json-tokens.js';
import { Badge } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Scroll } from '../ui/scroll.js';
import { Time } from '../ui/time.js';
import { isWhole, type ProofVerdict } from '../verify/judge.js';
import { Compare } from './compare.js';
import { SignerName, Whose } from './whose.js';

/** Every proof of a record: who, when, what it says, and whether it holds. */
export function Proofs({ proofs }: { readonly proofs: readonly ProofVerdict[] }) {
  return (
    <ol className="proofs">
      {proofs.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: proofs are only ever added
        <ProofItem key={at} verdict={one} />
      ))}
    </ol>
  );
}

function ProofItem({ verdict }: { readonly verdict: ProofVerdict }) {
  const { proof, isByLedger } = verdict;
  const isFine = isWhole(verdict);
  const [isOpen, open] = useState(!isFine);
  const { status, moment } = proof.custom ?? {};
  return (
    <li className={isFine ? 'proof' : 'proof bad'}>
      <div className="proof-head">
        <Badge tone={isFine ? 'good' : 'bad'}>{isFine ? `✓ ${recordText.holds}` : `✕ ${recordText.broken}`}</Badge>
        <strong>
          <SignerName proof={proof} isByLedger={isByLedger} />
        </strong>
        {typeof status === 'string' && (
          <Badge tone="plain">
            <Plain value={status.slice(0, 60)} />
          </Badge>
        )}
        {typeof moment === 'string' && <Time moment={moment} />}
      </div>
      <details open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{isFine ? recordText.signatureHolds : recordText.signatureBroken}</summary>
        {isOpen && <ProofFacts verdict={verdict} />}
      </details>
    </li>
  );
}

function ProofFacts({ verdict }: { readonly verdict: ProofVerdict }) {
  const { proof, isByLedger } = verdict;
  return (
    <dl className="facts">
      <dt>{recordText.key}</dt>
      <dd>
        <Code value={String(proof.public)} label={recordText.key} length={44} />
      </dd>
      <dt>{recordText.whose.title}</dt>
      <dd>
        <Whose proof={proof} isByLedger={isByLedger} />
      </dd>
      <dt>{recordText.custom}</dt>
      <dd>
        <JsonText value={proof.custom ?? {}} label={recordText.custom} />
      </dd>
      <dt>{recordText.digestOf}</dt>
      <dd>
        <Scroll className="bytes" label={recordText.digestOf}>
          <code>
            <JsonTokens text={verdict.digestText} />
          </code>
        </Scroll>
      </dd>
      <dt>{recordText.digest}</dt>
      <dd>
        <Compare said={String(proof.digest)} computed={verdict.digest} label={recordText.digest} />
      </dd>
      <dt>{recordText.signature}</dt>
      <dd className={verdict.isSignature ? undefined : 'failing'}>
        <Code value={String(proof.result)} label={recordText.signature} length={88} />{' '}
        <Badge tone={verdict.isSignature ? 'good' : 'bad'}>
          {verdict.isSignature ? `✓ ${recordText.holds}` : `✕ ${recordText.broken}`}
        </Badge>
        {!verdict.isSignature && <p>{recordText.steps.inSignature}</p>}
      </dd>
    </dl>
  );
}
