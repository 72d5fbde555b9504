import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { Field } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { isolated, Plain } from '../ui/plain.js';
import { AgreeFirst } from './foreign.js';
import { become, type Identity, identityOfKept, NOBODY } from './identity.js';
import { forgetKey, type KeptKey, listKeys, makeKey, whenKeysChange } from './kept-keys.js';
import { KeyFileForm } from './key-file-form.js';

interface SignInProps {
  /** The server and the ledger, as `placeName` writes them. */
  readonly place: string;
  readonly current: Identity;
  readonly onDone: () => void;
}

/** Says who looks, and lets somebody else look: a key here, one from a file, a token, client credentials, or nobody. */
export function SignIn({ place, current, onDone }: SignInProps) {
  const use = (identity: Identity) => {
    become(place, identity);
    onDone();
  };
  return (
    <div className="sign-in">
      {current.kind === 'key' && (
        <p>
          {text.identity.publicKey} <Code value={current.signer.public} label={text.identity.publicKey} length={44} />
          <br />
          <span className="hint">{text.identity.publicAbout}</span>
        </p>
      )}
      {current.kind !== 'nobody' && (
        <p>
          <button type="button" onClick={() => use(NOBODY)}>
            {text.identity.signOut}
          </button>
        </p>
      )}
      <AgreeFirst>
        <SignInWays use={use} />
      </AgreeFirst>
    </div>
  );
}

interface FormProps {
  readonly use: (identity: Identity) => void;
}

function SignInWays({ use }: FormProps) {
  return (
    <>
      <KeptKeys use={use} />
      <SignInWay title={text.identity.file} about={text.identity.fileAbout}>
        <KeyFileForm use={use} />
      </SignInWay>
      <SignInWay title={text.identity.make} about={text.identity.makeAbout}>
        <NewKey use={use} />
      </SignInWay>
      <SignInWay title={text.identity.paste} about={text.identity.pasteAbout}>
        <PasteToken use={use} />
      </SignInWay>
      <SignInWay title={text.identity.credentials} about={text.identity.credentialsAbout}>
        <Credentials use={use} />
      </SignInWay>
    </>
  );
}

function SignInWay({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <details className="way" name="way">
      <summary>{title}</summary>
      <p className="hint">{about}</p>
      {children}
    </details>
  );
}

/** The keys that this browser keeps, each to be used or removed. */
export function KeptKeys({ use }: FormProps) {
  const [keys, setKeys] = useState<readonly KeptKey[]>([]);
  useEffect(() => {
    const read = () => void listKeys().then(setKeys);
    read();
    return whenKeysChange(read);
  }, []);
  if (keys.length === 0) return null;
  const remove = async (key: KeptKey) => {
    if (window.confirm(text.identity.removeAsk(isolated(key.name)))) await forgetKey(key.public);
  };
  return (
    <section>
      <h3>{text.identity.kept}</h3>
      <ul className="links">
        {keys.map((key) => (
          <li key={key.public}>
            <strong>
              <Plain value={key.name} most={40} />
            </strong>
            <Code value={key.public} label={text.identity.publicKey} length={12} />
            <button type="button" onClick={() => void identityOfKept(key).then(use)}>
              {text.identity.use}
            </button>
            <button type="button" className="link" onClick={() => void remove(key)}>
              {text.identity.remove}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Makes a key, which this browser keeps. */
export function NewKey({ use, initial = '' }: FormProps & { readonly initial?: string }) {
  const [name, setName] = useState(initial);
  const [isBad, setBad] = useState(false);
  const make = async (event: FormEvent) => {
    event.preventDefault();
    try {
      use(await identityOfKept(await makeKey(name.trim() || 'key')));
    } catch {
      setBad(true);
    }
  };
  return (
    <form onSubmit={make}>
      <Field
        label={text.identity.makeName}
        value={name}
        onChange={(event) => setName(event.target.value)}
        autoFocus={initial !== ''}
      />
      {isBad && <Notice tone="warn" title={text.identity.noEd25519} />}
      <button type="submit" className="primary">
        {text.identity.makeDo}
      </button>
    </form>
  );
}

function PasteToken({ use }: FormProps) {
  const [token, setToken] = useState('');
  const paste = (event: FormEvent) => {
    event.preventDefault();
    const given = token.trim().replace(/^Bearer\s+/i, '');
    if (given !== '') use({ kind: 'token', token: given });
  };
  return (
    <form onSubmit={paste}>
      <Field
        label={text.identity.paste}
        type="password"
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.target.value)}
      />
      <button type="submit" className="primary">
        {text.identity.pasteDo}
      </button>
    </form>
  );
}

function Credentials({ use }: FormProps) {
  const [clientId, setId] = useState('');
  const [clientSecret, setSecret] = useState('');
  const take = (event: FormEvent) => {
    event.preventDefault();
    use({ kind: 'client', clientId: clientId.trim(), clientSecret });
  };
  return (
    <form onSubmit={take}>
      <Field label={text.identity.clientId} value={clientId} onChange={(event) => setId(event.target.value)} required />
      <Field
        label={text.identity.clientSecret}
        type="password"
        autoComplete="off"
        value={clientSecret}
        onChange={(event) => setSecret(event.target.value)}
        required
      />
      <button type="submit" className="primary">
        {text.identity.credentialsDo}
      </button>
    </form>
  );
}
