import './begin.css';
import { connect, type Ledger, type Schemas, systemKeyOf, type WriteOptions } from '@countersign/client';
import { ledgerOfOwner } from '@countersign/client/owner';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { useWrite } from '../forms/use-write.js';
import { WriteStatus } from '../forms/write-status.js';
import { Answers } from '../session/answers.js';
import { AgreeFirst } from '../session/foreign.js';
import { become, type Identity, identityOfKept } from '../session/identity.js';
import { findKey } from '../session/kept-keys.js';
import { KeyFileForm } from '../session/key-file-form.js';
import { optionsOf } from '../session/open-ledger.js';
import { pinLedger, placeName } from '../session/pins.js';
import { ownServer } from '../session/servers.js';
import { KeptKeys, NewKey } from '../session/sign-in.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { Field } from '../ui/field.js';
import { Plain } from '../ui/plain.js';
import { Step, Steps } from './steps.js';

type KeyIdentity = Identity & { readonly kind: 'key' };

/** The key that was chosen, for a reload. */
const CHOSEN = 'countersign.begin';

/** The code of an invitation, as servers make them (interface/ledgers#by-invitation). */
const INVITATION = 'inv_[A-Za-z0-9_\\-]{32}';

/** From nothing to a ledger: a key, and a ledger that it owns. Its page has the last step. */
export function BeginPage() {
  const { server: given } = useSearch({ from: '/begin' });
  const server = given ?? ownServer();
  const [identity, setIdentity] = useState<KeyIdentity>();
  useEffect(() => {
    const chosen = sessionStorage.getItem(CHOSEN);
    if (chosen === null) return;
    void findKey(chosen).then(async (kept) => kept && setIdentity((await identityOfKept(kept)) as KeyIdentity));
  }, []);
  const use = (chosen: Identity) => {
    if (chosen.kind !== 'key') return;
    sessionStorage.setItem(CHOSEN, chosen.signer.public);
    setIdentity(chosen);
  };
  return (
    <AgreeFirst>
      <Steps>
        <Step
          number={1}
          title={doingText.begin.key.title}
          about={doingText.begin.key.about}
          state={identity ? 'done' : 'now'}
        >
          {identity ? (
            <p>
              <Plain value={identity.name} most={40} />{' '}
              <Code value={identity.signer.public} label={text.identity.publicKey} length={44} />{' '}
              <button type="button" className="link" onClick={() => setIdentity(undefined)}>
                {doingText.begin.key.other}
              </button>
            </p>
          ) : (
            <ChooseKey use={use} />
          )}
        </Step>
        <Step
          number={2}
          title={doingText.begin.ledger.title}
          about={doingText.begin.ledger.about}
          state={identity ? 'now' : 'later'}
        >
          {identity && <NewLedgerForm server={server} identity={identity} />}
        </Step>
        <Step number={3} title={doingText.begin.transfer.title} state="later" />
      </Steps>
    </AgreeFirst>
  );
}

function ChooseKey({ use }: { readonly use: (identity: Identity) => void }) {
  return (
    <>
      <NewKey use={use} initial="owner" />
      <KeptKeys use={use} />
      <details className="way">
        <summary>{doingText.begin.key.file}</summary>
        <KeyFileForm use={use} />
      </details>
    </>
  );
}

function NewLedgerForm({ server, identity }: { readonly server: string; readonly identity: KeyIdentity }) {
  const [handle, setHandle] = useState('acme');
  const [invitation, setInvitation] = useState('');
  const navigate = useNavigate();
  const write = useWrite();
  const client = useMemo(() => makerOf(server, identity, invitation), [server, identity, invitation]);
  const onMade = (record: Schemas['ledger']) => {
    const name = record.data.handle;
    // The key in the very answer that made it: nobody has answered for this ledger before.
    pinLedger({ server, key: systemKeyOf(record), luid: record.luid, handle: name });
    become(placeName(server, name), identity);
    void navigate({ to: '/l/$ledger/begin', params: { ledger: name } });
  };
  const make = (event: FormEvent) => {
    event.preventDefault();
    write.run((options) => makeLedger(client, server, handle.trim(), identity, options), onMade);
  };
  return (
    <form onSubmit={make}>
      <Field
        label={doingText.begin.ledger.handle}
        value={handle}
        onChange={(event) => setHandle(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
      />
      <Field
        label={doingText.begin.ledger.invitation}
        about={doingText.begin.ledger.invitationAbout}
        value={invitation}
        onChange={(event) => setInvitation(event.target.value.trim())}
        pattern={INVITATION}
        title={doingText.begin.ledger.badInvitation}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <WriteStatus write={write} client={client} onDone={onMade} />
      <button type="submit" className="primary">
        {doingText.begin.ledger.make}
      </button>
    </form>
  );
}

/** What makes a ledger: an invitation is its bearer token, and is of use for nothing else. */
function makerOf(server: string, identity: KeyIdentity, invitation: string): Ledger {
  const options = optionsOf(server, identity, new Answers());
  return connect(invitation === '' ? options : { ...options, token: () => invitation });
}

async function makeLedger(
  client: Ledger,
  server: string,
  handle: string,
  identity: KeyIdentity,
  options: WriteOptions,
) {
  // Tokens of the token endpoint name the server's address as it states it.
  const { data } = await makerOf(server, identity, '').information();
  const ledger = ledgerOfOwner(handle, identity.signer.public, [String(data.server), server]);
  return client.ledgers.create(ledger as unknown as Parameters<typeof client.ledgers.create>[0], options);
}
