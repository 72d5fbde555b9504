import './start.css';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { forgetPin, listPins } from '../session/pins.js';
import { foreignServer, ownServer } from '../session/servers.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Field } from '../ui/field.js';
import { Mark } from '../ui/mark.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';

/** Where a visit begins: which ledger, on which server. */
export function StartPage() {
  const { server: given } = useSearch({ from: '/' });
  const [server, setServer] = useState(given ?? ownServer());
  const [ledger, setLedger] = useState('');
  // Who comes for the first time most often has no ledger.
  const [hasKnown] = useState(() => listPins().length > 0);
  const navigate = useNavigate();
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (ledger.trim() === '') return;
    void navigate({
      to: '/l/$ledger',
      params: { ledger: ledger.trim() },
      search: { server: foreignServer(server) },
    });
  };
  return (
    <div className="start">
      <Mark />
      <h1>{text.product}</h1>
      <p className="lead">{text.start.lead}</p>
      {hasKnown ? <KnownLedgers /> : <BeginLink server={given} />}
      <form className="card" onSubmit={open}>
        <h2>{text.start.title}</h2>
        <Field
          label={text.start.ledger}
          about={text.start.ledgerAbout}
          value={ledger}
          onChange={(event) => setLedger(event.target.value)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
        <Field
          label={text.start.server}
          about={text.start.serverAbout}
          value={server}
          onChange={(event) => setServer(event.target.value)}
          type="url"
          required
        />
        <button type="submit" className="primary">
          {text.start.open}
        </button>
      </form>
      {hasKnown && <BeginLink server={given} />}
    </div>
  );
}

function BeginLink({ server }: { readonly server: string | undefined }) {
  return (
    <section className="card">
      <h2>{doingText.begin.linkTitle}</h2>
      <p>{doingText.begin.linkAbout}</p>
      <Link to="/begin" search={{ server }} className="button primary">
        {doingText.begin.link}
      </Link>
    </section>
  );
}

function KnownLedgers() {
  const [pins, setPins] = useState(listPins);
  if (pins.length === 0) return null;
  return (
    <section className="card">
      <h2>{text.start.known}</h2>
      <ul className="links">
        {pins.map((pin) => (
          <li key={pin.server + pin.luid}>
            <Link to="/l/$ledger" params={{ ledger: pin.handle }} search={{ server: foreignServer(pin.server) }}>
              <Plain value={pin.handle} />
            </Link>
            <span className="hint">
              {pin.server !== ownServer() && <Plain value={pin.server} />} {text.start.since} <Time moment={pin.seen} />
            </span>
            <button
              type="button"
              className="link"
              onClick={() => {
                forgetPin(pin);
                setPins(listPins());
              }}
            >
              {text.start.forget}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
