import './session.css';
import { type Query, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { LedgerProvider } from './context.js';
import { Fault } from './fault.js';
import { identityName, resume, useIdentity } from './identity.js';
import { PinBrokenPage } from './pin-broken.js';
import { PinBroken, placeName } from './pins.js';
import { openingOf, queries } from './queries.js';
import { SignIn } from './sign-in.js';

interface LedgerGateProps {
  readonly server: string;
  readonly name: string;
  readonly children: ReactNode;
}

/** Opens the ledger of the address. What is inside is shown only of a ledger whose key is the one that was seen before. */
export function LedgerGate({ server, name, children }: LedgerGateProps) {
  const place = placeName(server, name);
  const identity = useIdentity(place);
  const [resumed, setResumed] = useState<string>();
  useEffect(() => {
    void resume(place).finally(() => setResumed(place));
  }, [place]);
  // What one identity has read is not there for the next.
  useEffect(() => {
    const isOfOther = ({ queryKey }: Pick<Query, 'queryKey'>) => queryKey[2] !== identityName(identity);
    queries.removeQueries({ type: 'inactive', predicate: isOfOther });
  }, [identity]);
  const opened = useQuery({ ...openingOf(server, name, identity), enabled: resumed === place });
  if (opened.error instanceof PinBroken) {
    return <PinBrokenPage broken={opened.error} onForgotten={() => void opened.refetch()} />;
  }
  if (opened.error) {
    return (
      <>
        <h1>
          <Plain value={name} most={120} />
        </h1>
        <Fault error={opened.error} retry={() => void opened.refetch()} />
        <h2>{text.identity.title}</h2>
        <SignIn place={place} current={identity} onDone={() => undefined} />
      </>
    );
  }
  if (!opened.data) return <Skeleton label={text.loading} />;
  return (
    <LedgerProvider value={opened.data}>
      {opened.data.isNew && <FirstVisit pinned={opened.data.pin.key} />}
      {children}
    </LedgerProvider>
  );
}

/** Says that nothing was known of the key before, until it was read. */
function FirstVisit({ pinned }: { readonly pinned: string }) {
  const [isRead, read] = useState(false);
  if (isRead) return null;
  const close = () => {
    document.getElementById('main')?.focus();
    read(true);
  };
  return (
    <Notice tone="plain" title={text.pin.first}>
      <p>
        <Code value={pinned} label={text.pin.key} length={44} />
      </p>
      <button type="button" className="link" onClick={close}>
        {text.pin.understood}
      </button>
    </Notice>
  );
}
