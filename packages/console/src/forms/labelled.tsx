import type { ReactNode } from 'react';
import { doingText } from '../text/doing.js';
import { Plain } from '../ui/plain.js';

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly about?: string | undefined;
  readonly wrong: readonly string[];
  readonly children: ReactNode;
}

/** A control with its label, what is said about it, and what is wrong with it. */
export function Labelled({ id, label, isRequired, about, wrong, children }: LabelledProps) {
  return (
    <div className="field">
      <label htmlFor={id}>
        <Plain value={label} most={80} />
        {isRequired && (
          <span className="needed" title={doingText.form.required}>
            {' '}
            *<span className="unseen"> {doingText.form.required}</span>
          </span>
        )}
      </label>
      {children}
      {wrong.length > 0 && (
        <p id={`${id}-wrong`} className="error">
          <Plain value={wrong.join('; ')} />
        </p>
      )}
      {about && (
        <p id={`${id}-about`}>
          <Plain value={about} />
        </p>
      )}
    </div>
  );
}

/** What a control says of itself to those who do not see what stands around it. */
export function described(id: string, wrong: readonly string[], about: string | undefined) {
  const names = [...(wrong.length > 0 ? [`${id}-wrong`] : []), ...(about ? [`${id}-about`] : [])];
  return {
    id,
    'aria-invalid': wrong.length > 0 || undefined,
    'aria-describedby': names.length > 0 ? names.join(' ') : undefined,
  };
}
