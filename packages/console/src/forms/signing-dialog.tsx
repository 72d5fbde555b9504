import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { ServerName, useForeignServer } from '../session/foreign.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { JsonTokens } from '../ui/json-tokens.js';
import type { SigningAsked } from './use-write.js';

/** Shows the exact texts that are signed, with their hashes, and asks. */
export function SigningDialog({ asked }: { readonly asked: SigningAsked }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const server = useForeignServer();
  const { signing, agree, decline } = asked;
  // Closed before it is taken away: that gives the focus back to what had it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Not the button: who presses Enter twice would sign what was not looked at.
    title.current?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="signing"
      aria-labelledby="signing-title"
      onCancel={decline}
      onKeyDown={ignoreRepeated}
    >
      <h2 id="signing-title" tabIndex={-1} ref={title}>
        {doingText.sign.title}
      </h2>
      <p>{doingText.sign.lead}</p>
      <dl className="facts">
        {server !== undefined && (
          <>
            <dt>{text.server.name}</dt>
            <dd>
              <strong>
                <ServerName server={server} />
              </strong>
            </dd>
          </>
        )}
        <dt>{doingText.sign.operation}</dt>
        <dd>
          {signing.operation} {signing.record} <code>{signing.path}</code>
        </dd>
        <dt>{doingText.sign.by}</dt>
        <dd>
          {signing.keys.map((key) => (
            <Code key={key} value={key} label={doingText.sign.by} length={44} />
          ))}
          {signing.keys.length === 0 && doingText.sign.byLedger}
        </dd>
      </dl>
      <SignedText title={doingText.sign.data} value={signing.data} />
      <p className="hash">
        {signing.operation === 'sign' ? doingText.sign.proofHash : doingText.sign.hash} <code>{signing.hash}</code>
      </p>
      <SignedText title={doingText.sign.custom} value={signing.custom} />
      <p className="hash">
        {doingText.sign.digest} <code>{signing.digest}</code>
      </p>
      <p className="buttons">
        <button type="button" className="primary" onClick={agree}>
          {doingText.sign.agree}
        </button>
        <button type="button" onClick={decline}>
          {doingText.sign.decline}
        </button>
      </p>
    </dialog>
  );
}

/** A key that is held down answers no question that it did not see. */
function ignoreRepeated(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter') event.preventDefault();
}

function SignedText({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre className="signed-text" tabIndex={0}>
        <JsonTokens text={value} />
      </pre>
    </section>
  );
}
