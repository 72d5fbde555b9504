import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { JsonText } from '../ui/json.js';
import { Badge } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { isWhole, type ProofVerdict } from '../verify/judge.js';

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
  const { custom = {} } = proof;
  const isFine = isWhole(verdict);
  const who = isByLedger ? text.record.ledgerProof : (proof.signer ?? text.record.unknownKey);
  return (
    <li className={isFine ? 'proof' : 'proof bad'}>
      <div className="proof-head">
        <Badge tone={isFine ? 'good' : 'bad'}>{isFine ? `✓ ${text.record.holds}` : `✕ ${text.record.broken}`}</Badge>
        <strong>
          <Plain value={String(who)} most={60} />
        </strong>
        {typeof custom.status === 'string' && <Badge tone="plain">{custom.status.slice(0, 60)}</Badge>}
        {typeof custom.moment === 'string' && <Time moment={custom.moment} />}
      </div>
      <details>
        <summary>{text.record.saidBy(String(who).slice(0, 60), isFine)}</summary>
        <dl className="facts">
          <dt>{text.record.key}</dt>
          <dd>
            <Code value={String(proof.public)} label={text.record.key} length={44} />
            {!isByLedger && proof.signer && <p className="hint">{text.record.named}</p>}
          </dd>
          <dt>{text.record.digest}</dt>
          <dd>
            <Code value={String(proof.digest)} label={text.record.digest} length={64} />{' '}
            <Badge tone={verdict.isDigest ? 'good' : 'bad'}>
              {verdict.isDigest ? text.record.holds : text.record.broken}
            </Badge>
          </dd>
          <dt>{text.record.signature}</dt>
          <dd>
            <Code value={String(proof.result)} label={text.record.signature} length={40} />{' '}
            <Badge tone={verdict.isSignature ? 'good' : 'bad'}>
              {verdict.isSignature ? text.record.holds : text.record.broken}
            </Badge>
          </dd>
          <dt>{text.record.custom}</dt>
          <dd>
            <JsonText value={custom} label={text.record.custom} />
          </dd>
        </dl>
      </details>
    </li>
  );
}
