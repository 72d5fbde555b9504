import './watch.css';
import type { Schemas } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { findKind, type KindDescription, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { text } from '../text/en.js';
import { watchText } from '../text/watch.js';
import { JsonText } from '../ui/json.js';
import { Badge, Skeleton, type Tone } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Time } from '../ui/time.js';
import { POLLED } from './polling.js';
import { Receive } from './receive.js';

type Delivery = Schemas['delivery'];

const DELIVERY_TONES: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  failed: 'bad',
  cancelled: 'bad',
  pending: 'warn',
};

/** Deliveries that are shown: those of which something happened last. */
const DELIVERIES_LIMIT = 50;

/** What was delivered for an effect or to a bridge: the request, what came of each attempt, and another one. */
export function DeliveriesPage() {
  const { kind: named, id } = useParams({ from: '/l/$ledger/deliveries/$kind/$id' });
  const kind = findKind(named);
  if (!kind?.operations.some(({ name }) => name === 'events')) return <NotFound />;
  return <Deliveries kind={kind} id={id} />;
}

function Deliveries({ kind, id }: { readonly kind: KindDescription; readonly id: string }) {
  const ledger = useLedger();
  const { client, name } = ledger;
  const found = useQuery({
    queryKey: [...scopeOf(ledger), 'deliveries', kind.record, id],
    queryFn: async () => {
      const page = await client.kind(recordName(kind)).events(id, { limit: DELIVERIES_LIMIT }).page(0);
      return page.items as readonly Delivery[];
    },
    ...POLLED,
  });
  const all = found.data ?? [];
  return (
    <>
      <header className="page-head">
        <p className="crumb">
          <RecordLink to={{ ledger: name, kind: kind.record, id }}>
            <Plain value={id} most={80} />
          </RecordLink>
        </p>
        <h1>{watchText.deliveries}</h1>
        <p>
          <Retry kind={kind} id={id} label={watchText.retryAll} />
        </p>
        {kind.record === 'effect' && <Receive />}
      </header>
      {found.error && <Fault error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Skeleton lines={6} label={text.loading} />}
      {found.data && all.length === 0 && <p>{watchText.none}</p>}
      <ol className="deliveries" aria-live="polite">
        {all.map((delivery) => (
          <One key={delivery.luid} {...{ kind, id, delivery }} />
        ))}
      </ol>
    </>
  );
}

function Retry({ kind, id, label, event }: { kind: KindDescription; id: string; label: string; event?: string }) {
  const { name: ledger } = useLedger();
  return (
    <Link
      className="button"
      to="/l/$ledger/do/$operation/$kind/$id"
      params={{ ledger, operation: 'retry', kind: kind.record, id }}
      search={event === undefined ? {} : { event }}
    >
      {label}
    </Link>
  );
}

function One({ kind, id, delivery }: { kind: KindDescription; id: string; delivery: Delivery }) {
  const { data, meta } = delivery;
  const answers = meta.proofs.map(({ custom }) => custom ?? {});
  return (
    <li className="delivery">
      <p>
        <Badge tone={DELIVERY_TONES[meta.status] ?? 'plain'}>{meta.status}</Badge> {data.record}{' '}
        <strong>
          <Plain value={data.linked ?? ''} most={60} />
        </strong>{' '}
        <Time moment={meta.moment} /> <span className="hint">{watchText.attempts(meta.replay)}</span>
      </p>
      <details>
        <summary>{watchText.request}</summary>
        {meta.output ? <JsonText value={meta.output} label={watchText.request} /> : <p>{watchText.noRequest}</p>}
      </details>
      <details>
        <summary>{watchText.answers}</summary>
        <JsonText value={answers} label={watchText.answers} />
      </details>
      {meta.status !== 'delivered' && meta.status !== 'erased' && (
        <p>
          <Retry kind={kind} id={id} label={watchText.retry} event={data.handle} />
        </p>
      )}
    </li>
  );
}
