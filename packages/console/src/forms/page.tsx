import './forms.css';
import type { Signed } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { lineOf } from '../kinds/columns.js';
import { findKind, type KindDescription, nameMember, pluralOf, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { askToSignIn } from '../session/sign-in-asked.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Act } from './act.js';
import { Edit } from './edit.js';
import { type Doing, type DoSearch, doingsOf } from './operations.js';
import { Verified } from './verified.js';

interface Target {
  readonly kind: KindDescription;
  readonly parent: string | undefined;
}

/** One write: what it needs, what is signed, and what came of it. */
export function DoPage() {
  const { operation, kind: named, id } = useParams({ strict: false });
  const { parent, event }: DoSearch = useSearch({ strict: false });
  const kind = findKind(named ?? '');
  const doing = kind && doingsOf(kind).find((one) => one === operation);
  if (kind === undefined || doing === undefined) return <NotFound />;
  const target = { kind, parent };
  return (
    <>
      <header className="page-head">
        <p className="crumb">
          <FormWayBack {...target} id={id} />
        </p>
        <h1>{doingText.form.titles[doing](kind.title)}</h1>
      </header>
      <Anonymous />
      {doing === 'create' ? (
        <Outcome {...target}>{(onDone) => <Edit {...target} onDone={onDone} />}</Outcome>
      ) : (
        <WithRecord key={`${doing} ${id}`} {...target} id={id ?? ''} doing={doing} event={event} />
      )}
    </>
  );
}

function FormWayBack({ kind, parent, id }: Target & { readonly id: string | undefined }) {
  const { name: ledger } = useLedger();
  if (id !== undefined) {
    return (
      <RecordLink to={{ ledger, kind: kind.record, id, parent }}>
        <Plain value={id} most={80} />
      </RecordLink>
    );
  }
  return (
    <Link to="/l/$ledger/$kind" params={{ ledger, kind: kind.record }} search={parent === undefined ? {} : { parent }}>
      {pluralOf(kind)}
    </Link>
  );
}

function Anonymous() {
  const { identity } = useLedger();
  if (identity.kind !== 'nobody') return null;
  return (
    <Notice tone="warn" title={doingText.sign.signInFirst}>
      <button type="button" onClick={askToSignIn}>
        {text.identity.choose}
      </button>
    </Notice>
  );
}

interface WithRecordProps extends Target {
  readonly id: string;
  readonly doing: Exclude<Doing, 'create'>;
  readonly event: string | undefined;
}

/** Reads the version that is written on. It is not read again by itself: what is written is about what was seen. */
function WithRecord({ kind, parent, id, doing, event }: WithRecordProps) {
  const ledger = useLedger();
  const isOnly = !kind.item.includes('{id}');
  const records = ledger.client.kind(recordName(kind), parent);
  // A record that was dropped is found by its history alone.
  const isErase = doing === 'erase';
  const found = useQuery({
    queryKey: [...scopeOf(ledger), 'written', kind.record, parent, id],
    queryFn: () => (isOnly ? records.get() : records.get(id)),
    enabled: !isErase,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [kept, keep] = useState<Signed>();
  const first = found.data;
  useEffect(() => keep((now) => now ?? first), [first]);
  if (found.error && kept === undefined) return <Fault error={found.error} retry={() => void found.refetch()} />;
  if (!isErase && kept === undefined) return <Skeleton lines={8} label={text.loading} />;
  const name = kept && (lineOf(kept.data[nameMember(kind)]) || kept.luid);
  return (
    <Outcome kind={kind} parent={parent}>
      {(onDone) =>
        doing === 'update' && kept ? (
          <>
            {/* The link back shows the id of the address: the name where it differs. */}
            {name !== undefined && name !== id && (
              <p className="hint">
                <Plain value={name} most={120} />
              </p>
            )}
            <Edit kind={kind} parent={parent} record={kept} onDone={onDone} />
          </>
        ) : (
          <Act
            {...{ kind, parent, id, event, onDone }}
            record={kept}
            doing={doing as Exclude<Doing, 'create' | 'update'>}
          />
        )
      }
    </Outcome>
  );
}

/** What came of a write: the record, judged here, in place of its form. */
export type Came = Signed | 'dropped' | 'retried';

interface OutcomeProps extends Target {
  readonly children: (onDone: (came: Came) => void) => ReactNode;
}

function Outcome({ kind, parent, children }: OutcomeProps) {
  const { name: ledger, pin } = useLedger();
  const [came, setCame] = useState<Came>();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (came !== undefined) place.current?.focus();
  }, [came]);
  if (came === undefined) return children(setCame);
  return (
    <section ref={place} tabIndex={-1} aria-live="polite">
      {typeof came === 'string' ? (
        <Notice tone="good" title={doingText.form[came]} />
      ) : (
        <Verified record={came} systemKey={pin.key} ledger={ledger} parent={parent} />
      )}
      <p>
        <FormWayBack kind={kind} parent={parent} id={undefined} />
      </p>
    </section>
  );
}
