import { isQuorumMet, LogError } from '@countersign/protocol/log';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { useLedger } from '../session/context.js';
import { keepPolicy } from '../session/trees.js';
import { recordText } from '../text/record.js';
import { Age } from '../ui/age.js';
import { readPolicy } from '../verify/log.js';
import type { Sealed } from './use-sealed.js';

const { states: texts } = recordText;

interface StatesProps {
  /** When the ledger has countersigned, by its own word. */
  readonly accepted: string | undefined;
  readonly sealed: Sealed | undefined;
  readonly policy: string;
  readonly onPolicy: (policy: string) => void;
}

/** Accepted, sealed, witnessed: three things, each with its age. */
export function States({ accepted, sealed, policy, onPolicy }: StatesProps) {
  return (
    <section aria-labelledby="states-title">
      <h2 id="states-title">{texts.title}</h2>
      <ol className="states">
        <State isDone={accepted !== undefined} title={texts.accepted}>
          {accepted && (
            <>
              {texts.acceptedAbout} <Age moment={accepted} />
            </>
          )}
        </State>
        <State isDone={sealed?.state === 'sealed' && sealed.tree.former === undefined} title={texts.sealed}>
          <SealedState sealed={sealed} />
        </State>
        <Witnessed sealed={sealed} policy={policy} onPolicy={onPolicy} />
      </ol>
    </section>
  );
}

function State({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  return (
    <li className={isDone ? 'state done' : 'state'}>
      <strong>
        <span aria-hidden="true">{isDone ? '✓' : '○'}</span> {title}
      </strong>
      <div>{children}</div>
    </li>
  );
}

const UNSEALED = { waiting: texts.notSealed, erased: texts.erased, other: texts.other };

function SealedState({ sealed }: { readonly sealed: Sealed | undefined }) {
  if (sealed === undefined) return texts.checking;
  if (sealed.state !== 'sealed') return UNSEALED[sealed.state];
  const { verdict, tree } = sealed;
  return (
    <>
      {texts.sealedAs(verdict.index, verdict.size)}{' '}
      {tree.before && verdict.index < tree.size && (
        <>
          {texts.seen} <Age moment={tree.before.seen} />
        </>
      )}
    </>
  );
}

function Witnessed({ sealed, policy, onPolicy }: Omit<StatesProps, 'accepted'>) {
  const parsed = readPolicy(policy);
  if (sealed?.state !== 'sealed' || parsed === undefined) {
    return (
      <State isDone={false} title={texts.witnessed}>
        {texts.noPolicy}
        <PolicyForm policy={policy} onPolicy={onPolicy} />
      </State>
    );
  }
  const { witnesses } = sealed.verdict;
  const isMet = parsed.witnesses.size > 0 && isQuorumMet(parsed, witnesses.keys());
  const times = [...witnesses.values()];
  return (
    <State isDone={isMet} title={texts.witnessed}>
      {texts.witnesses(witnesses.size, parsed.witnesses.size)}; {isMet ? texts.quorumMet : texts.quorumNotMet}.{' '}
      {times.length > 0 && <Age moment={new Date(Math.min(...times) * 1000).toISOString()} />}
      <PolicyForm policy={policy} onPolicy={onPolicy} />
    </State>
  );
}

function PolicyForm({ policy, onPolicy }: { readonly policy: string; readonly onPolicy: (policy: string) => void }) {
  const id = useId();
  const { server, pin } = useLedger();
  const [text, setText] = useState(policy);
  const [fault, setFault] = useState<string>();
  const keep = (event: FormEvent) => {
    event.preventDefault();
    try {
      readPolicy(text);
      setFault(undefined);
      keepPolicy(server, pin.luid, text.trim() === '' ? '' : text);
      onPolicy(text);
    } catch (error) {
      if (!(error instanceof LogError)) throw error;
      setFault(error.detail);
    }
  };
  return (
    <details>
      <summary>{texts.policy}</summary>
      <form onSubmit={keep}>
        <label className="unseen" htmlFor={id}>
          {texts.policy}
        </label>
        <textarea id={id} rows={5} value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
        {fault !== undefined && (
          <p className="error" role="alert">
            {texts.policyBad} {fault}
          </p>
        )}
        <button type="submit">{texts.policyKeep}</button>
      </form>
    </details>
  );
}
