import type { StoredProof } from '@countersign/protocol';
import type { ProvenIntent, ProvenStep } from '@countersign/verifier/intent';
import { moneyText } from '../text/money.js';
import { Code } from '../ui/copy.js';
import { Badge } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { isWhole, type Verdict } from '../verify/judge.js';
import type { MoneyKeys } from './intent.js';

/** Proofs of a step that are listed. */
const PROOFS_LISTED = 40;

/** Each step of an intent: who proved it, when, and whether that was seen here. */
export function Trail({ proven, verdict, keys }: { proven: ProvenIntent; verdict: Verdict; keys: MoneyKeys }) {
  const wholes = new Map(verdict.proofs.map((one) => [one.proof, isWhole(one)]));
  let before: number | undefined;
  return (
    <ol className="trail">
      {proven.steps.map((one, at) => {
        const moment = String(one.proofs.at(-1)?.custom?.moment);
        const since = before;
        before = Date.parse(moment);
        const isFine = one.proofs.every((proof) => wholes.get(proof));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
          <li key={at} className={`trail-step ${isFine ? toneOf(one) : 'bad'}`}>
            <div className="trail-head">
              <strong>{moneyText.steps[one.step]}</strong>
              <span className="hint">{authorText(one, keys)}</span>
              <span className="grow" />
              {since !== undefined && <span className="hint">{moneyText.after(lasted(before - since))}</span>}
              <Time moment={moment} />
              <Badge tone={isFine ? 'good' : 'bad'}>{isFine ? `✓ ${moneyText.holds}` : `✕ ${moneyText.broken}`}</Badge>
            </div>
            <Said step={one} />
            <details>
              <summary>{moneyText.proofs(one.proofs.length)}</summary>
              <ul className="trail-proofs">
                {one.proofs.slice(0, PROOFS_LISTED).map((proof) => (
                  <ProofLine key={proof.result} proof={proof} isWhole={wholes.get(proof) === true} />
                ))}
              </ul>
              {one.proofs.length > PROOFS_LISTED && '…'}
            </details>
          </li>
        );
      })}
    </ol>
  );
}

function toneOf({ step }: ProvenStep): string {
  if (['failed', 'aborted', 'released', 'rejected', 'note'].includes(step)) return 'ended';
  return step === 'other' ? 'other' : 'good';
}

function authorText({ step, proofs }: ProvenStep, { system, core }: MoneyKeys): string {
  if (step === 'reserved' || step === 'released' || step === 'cleared by core') return moneyText.by.core;
  if (step !== 'other') return moneyText.by.ledger;
  const [proof] = proofs;
  if (proof?.public === system || proof?.public === core) return moneyText.by.ledger;
  return proof?.signer ? '' : moneyText.by.key;
}

/** What a step says beside its name: of a report or a decision who, and of what; of a failure the reason. */
function Said({ step: { step, proofs } }: { readonly step: ProvenStep }) {
  const { custom = {}, signer } = proofs[0] as StoredProof;
  if (step === 'failed' || step === 'note')
    return (
      <p className="said">
        <code>{String(custom.reason).slice(0, 80)}</code> <Plain value={String(custom.detail ?? '')} />
      </p>
    );
  if (step !== 'other') return null;
  const words = [signer, custom.action, custom.status, custom.handle, custom.reason, custom.detail];
  return (
    <p className="said">
      <Plain value={words.filter((one) => typeof one === 'string').join(' · ')} />
    </p>
  );
}

function ProofLine({ proof, isWhole: holds }: { readonly proof: StoredProof; readonly isWhole: boolean }) {
  const { custom = {}, signer } = proof;
  const entry = [custom.handle, custom.schema, custom.wallet, custom.status].filter((one) => typeof one === 'string');
  return (
    <li>
      <span className={holds ? 'tick' : 'error'}>{holds ? '✓' : '✕'}</span>
      <span>
        <Plain value={[signer, ...entry].filter(Boolean).join(' · ')} most={120} />
      </span>
      <Code value={String(proof.public)} label={moneyText.key} length={12} />
      <Code value={String(proof.digest)} label={moneyText.digest} length={12} />
    </li>
  );
}

/** Milliseconds in words: `18 ms`, `4.2 s`, `3 min`, `5 h`. */
function lasted(milliseconds: number): string {
  if (Number.isNaN(milliseconds)) return '?';
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`;
  return `${Math.round(milliseconds / 3_600_000)} h`;
}
