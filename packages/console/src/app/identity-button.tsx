import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Identity, useIdentity } from '../session/identity.js';
import { placeName } from '../session/pins.js';
import { ownServer } from '../session/servers.js';
import { SignIn } from '../session/sign-in.js';
import { whenSignInIsAsked } from '../session/sign-in-asked.js';
import { text } from '../text/en.js';
import { Filled } from '../ui/filled.js';

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
        {identity.kind === 'nobody' ? text.identity.change : <Name identity={identity} most={24} />}
      </button>
      <dialog ref={dialog} aria-labelledby="identity-title">
        <div className="dialog-head">
          <h2 id="identity-title">{text.identity.title}</h2>
          <button type="button" onClick={() => dialog.current?.close()} aria-label={text.identity.close}>
            ×
          </button>
        </div>
        <p>
          {text.identity.current}{' '}
          <strong>
            <Name identity={identity} most={120} />
          </strong>
          .
        </p>
        <SignIn place={place} current={identity} onDone={() => dialog.current?.close()} />
      </dialog>
    </>
  );
}

function Name({ identity, most }: { readonly identity: Identity; readonly most: number }) {
  switch (identity.kind) {
    case 'key':
      return <Filled of={text.identity.key} names={[identity.name]} most={most} />;
    case 'client':
      return <Filled of={text.identity.client} names={[identity.clientId]} most={most} />;
    case 'token':
      return text.identity.token;
    case 'nobody':
      return text.identity.nobody;
  }
}
