import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Identity, useIdentity } from '../session/identity.js';
import { placeName } from '../session/pins.js';
import { ownServer } from '../session/servers.js';
import { SignIn } from '../session/sign-in.js';
import { whenSignInIsAsked } from '../session/sign-in-asked.js';
import { text } from '../text/en.js';
import { Plain } from '../ui/plain.js';

/** Says as whom the ledger is looked at; pressed, it lets somebody else look. */
export function IdentityButton({ ledger }: { readonly ledger: string }) {
  const { server } = useSearch({ strict: false });
  const place = placeName(server ?? ownServer(), ledger);
  const identity = useIdentity(place);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => whenSignInIsAsked(() => dialog.current?.showModal()), []);
  return (
    <>
      <button type="button" className="who" onClick={() => dialog.current?.showModal()}>
        {identity.kind === 'nobody' ? text.identity.change : <Plain value={nameOf(identity)} most={24} />}
      </button>
      <dialog ref={dialog} aria-labelledby="identity-title">
        <div className="dialog-head">
          <h2 id="identity-title">{text.identity.title}</h2>
          <button type="button" onClick={() => dialog.current?.close()} aria-label={text.identity.close}>
            ×
          </button>
        </div>
        <p>
          {text.identity.current} <strong>{nameOf(identity)}</strong>.
        </p>
        <SignIn place={place} current={identity} onDone={() => dialog.current?.close()} />
      </dialog>
    </>
  );
}

function nameOf(identity: Identity): string {
  switch (identity.kind) {
    case 'key':
      return text.identity.key(identity.name);
    case 'client':
      return text.identity.client(identity.clientId);
    case 'token':
      return text.identity.token;
    case 'nobody':
      return text.identity.nobody;
  }
}
