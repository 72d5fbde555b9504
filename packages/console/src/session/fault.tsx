import { AnswerError, Refusal } from '@countersign/client';
import { useParams } from '@tanstack/react-router';
import { text } from '../text/en.js';
import { Notice } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { OtherLedger } from './pins.js';
import { askToSignIn } from './sign-in-asked.js';

interface FaultProps {
  readonly error: unknown;
  readonly retry?: () => void;
}

/** Says what is wrong: a refusal in the ledger's words, a lie as a lie, and what does not answer. */
export function Fault({ error, retry }: FaultProps) {
  return (
    <>
      <FaultNotice error={error} />
      {retry && (
        <p>
          <button type="button" onClick={retry}>
            {text.retry}
          </button>
        </p>
      )}
    </>
  );
}

function FaultNotice({ error }: { readonly error: unknown }) {
  if (error instanceof AnswerError) {
    return (
      <Notice tone="bad" title={text.fault.lie}>
        <p>{text.fault.faults[error.fault]}</p>
        <p>
          <Plain value={error.message} />
        </p>
        <p>{text.fault.lieAbout}</p>
      </Notice>
    );
  }
  if (error instanceof OtherLedger) {
    return (
      <Notice tone="bad" title={text.fault.lie}>
        <p>{text.fault.otherLedger}</p>
        <p>
          <Plain value={error.message} most={300} />
        </p>
        <p>{text.fault.lieAbout}</p>
      </Notice>
    );
  }
  if (error instanceof Refusal) {
    return (
      <Notice tone="warn" title={error.status === 404 ? text.fault.missing : text.fault.refused}>
        {[401, 403].includes(error.status) && <SignInHint />}
        <p>
          <code>{error.reason}</code> <Plain value={error.detail} />
        </p>
        <p>
          {text.fault.tryThis}: <Plain value={error.toTry} />
        </p>
      </Notice>
    );
  }
  const { name, message } = error as Error;
  return (
    <Notice tone="warn" title={name === 'UnreachableError' ? text.fault.unreachable : text.fault.unexpected}>
      <p>
        <Plain value={message} />
      </p>
    </Notice>
  );
}

/** Offers to sign in, on pages of a ledger: others have nothing to sign in to. */
function SignInHint() {
  const { ledger } = useParams({ strict: false });
  if (ledger === undefined) return null;
  return (
    <>
      <p>{text.fault.signIn}</p>
      <p>
        <button type="button" onClick={askToSignIn}>
          {text.identity.choose}
        </button>
      </p>
    </>
  );
}

/** What an address leads to that is none of the console's. */
export function NotFound() {
  return <h1>{text.fault.notFound}</h1>;
}
