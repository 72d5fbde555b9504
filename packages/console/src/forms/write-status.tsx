import './forms.css';
import { type Ledger, Refusal, UnreachableError } from '@countersign/client';
import { Fault } from '../session/fault.js';
import { doingText } from '../text/doing.js';
import { focusSubmit } from './focus-submit.js';
import { InSight } from './in-sight.js';
import { SigningDialog } from './signing-dialog.js';
import type { Write } from './use-write.js';

interface WriteStatusProps {
  readonly write: Write;
  readonly client: Ledger;
  /** Takes what a signed text came to that was sent again. */
  readonly onDone: (made: never) => void;
}

/** What a write shows of itself: what it is about to sign, that it is under way, or why it failed. */
export function WriteStatus({ write, client, onDone }: WriteStatusProps) {
  const { state } = write;
  if (state.at === 'asking') return <SigningDialog asked={state.asked} />;
  if (state.at === 'preparing' || state.at === 'sending') {
    return (
      <p role="status" className="hint">
        {state.at === 'sending' ? doingText.sign.sending : doingText.sign.preparing}
      </p>
    );
  }
  if (state.at !== 'failed') return null;
  const { error } = state;
  const request = error instanceof Refusal || error instanceof UnreachableError ? error.request : undefined;
  const isLost = error instanceof UnreachableError || (error instanceof Refusal && error.mayBeDone);
  return (
    <InSight>
      <Fault error={error} />
      {isLost && request && (
        <p>
          {doingText.sign.mayBeDone}{' '}
          <button
            type="button"
            onClick={(event) => {
              focusSubmit(event);
              write.run(() => client.resend(request), onDone as (made: unknown) => void);
            }}
          >
            {doingText.sign.resend}
          </button>
        </p>
      )}
    </InSight>
  );
}
