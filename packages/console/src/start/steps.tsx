import type { ReactNode } from 'react';
import { doingText } from '../text/doing.js';

export type StepState = 'done' | 'now' | 'later';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly about?: string;
  readonly state: StepState;
  readonly children?: ReactNode;
}

/** One of the steps that lead to a first transfer. */
export function Step({ number, title, about, state, children }: StepProps) {
  return (
    <li className={`step ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="step-number" aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <div>
        <h2>
          {title}
          {state === 'done' && <span className="unseen"> {doingText.begin.done}</span>}
        </h2>
        {state === 'now' && about && <p className="hint">{about}</p>}
        {state !== 'later' && children}
      </div>
    </li>
  );
}

/** All steps, below their title. */
export function Steps({ children }: { readonly children: ReactNode }) {
  return (
    <div className="begin">
      <h1>{doingText.begin.title}</h1>
      <p className="lead">{doingText.begin.lead}</p>
      <ol className="begin-steps">{children}</ol>
    </div>
  );
}
