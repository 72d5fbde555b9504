import './record.css';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { lineOf } from '../kinds/columns.js';
import { findKind, type KindDescription, kindsBelow, nameMember, pluralOf } from '../kinds/kinds.js';
import { useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { JsonText } from '../ui/json.js';
import { Badge, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Tabs } from '../ui/tabs.js';
import { Time } from '../ui/time.js';
import { judge } from '../verify/judge.js';
import { Members } from './members.js';
import { Proofs } from './proofs.js';
import { type ShownRecord, useRecord } from './use-record.js';
import { VerdictNotice } from './verdict.js';

/** One record: what it holds, who has signed it, and whether that is so. */
export function RecordPage() {
  const { kind: record, id } = useParams({ from: '/l/$ledger/$kind/$id' });
  const { parent } = useSearch({ from: '/l/$ledger/$kind/$id' });
  const kind = findKind(record);
  return kind ? <Loaded key={`${record} ${id}`} {...{ kind, id, parent }} /> : <NotFound />;
}

function Loaded({ kind, id, parent }: { kind: KindDescription; id: string; parent: string | undefined }) {
  const shown = useRecord(kind, id, parent);
  if (shown.error) return <Fault error={shown.error} retry={() => void shown.refetch()} />;
  if (!shown.data) return <Skeleton lines={12} label={text.loading} />;
  return <RecordView kind={kind} shown={shown.data} parent={parent} />;
}

function RecordView({
  kind,
  shown,
  parent,
}: {
  kind: KindDescription;
  shown: ShownRecord;
  parent: string | undefined;
}) {
  const { pin } = useLedger();
  const { record, fault } = shown;
  const verdict = useMemo(() => judge(record, pin.key), [record, pin.key]);
  const name = lineOf(record.data[nameMember(kind)]) || String(record.luid);
  const { status } = record.meta;
  return (
    <article>
      <header className="page-head">
        <p className="crumb">
          <Crumb kind={kind} parent={parent} />
        </p>
        <h1>
          <Plain value={name} most={120} />{' '}
          {typeof status === 'string' && <Badge tone="plain">{status.slice(0, 60)}</Badge>}
        </h1>
      </header>
      <VerdictNotice verdict={verdict} fault={fault} />
      <div className="columns">
        <section aria-labelledby="data-title">
          <h2 id="data-title">{text.record.data}</h2>
          <Tabs
            label={text.record.data}
            tabs={[
              { id: 'members', label: text.record.asForm, body: () => <Members kind={kind} data={record.data} /> },
              {
                id: 'json',
                label: text.record.asJson,
                body: () => <JsonText value={record} label={text.record.asJson} />,
              },
            ]}
          />
        </section>
        <aside>
          <h2>{text.record.about}</h2>
          <About shown={shown} />
          <Below kind={kind} name={name} />
        </aside>
      </div>
      <section aria-labelledby="proofs-title">
        <h2 id="proofs-title">{text.record.proofs}</h2>
        <Proofs proofs={verdict.proofs} />
      </section>
    </article>
  );
}

/** The way up: the list that the record is in. */
function Crumb({ kind, parent }: { kind: KindDescription; parent: string | undefined }) {
  const { name: ledger } = useLedger();
  if (!kind.item.includes('{id}')) return kind.title;
  return (
    <Link to="/l/$ledger/$kind" params={{ ledger, kind: kind.record }} search={parent === undefined ? {} : { parent }}>
      {pluralOf(kind)}
    </Link>
  );
}

function About({ shown: { record } }: { readonly shown: ShownRecord }) {
  const { owners, moment } = record.meta;
  return (
    <dl className="facts">
      <dt>{text.record.luid}</dt>
      <dd>
        <Code value={String(record.luid)} label={text.record.luid} length={24} />
      </dd>
      <dt>{text.record.hash}</dt>
      <dd>
        <Code value={String(record.hash)} label={text.record.hash} length={24} />
      </dd>
      <dt>{text.record.moment}</dt>
      <dd>
        <Time moment={String(moment)} />
      </dd>
      <dt>{text.record.owners}</dt>
      <dd>
        {(Array.isArray(owners) ? owners : []).map((owner) => (
          <Code key={String(owner)} value={String(owner)} label={text.record.key} />
        ))}
      </dd>
    </dl>
  );
}

function Below({ kind, name }: { readonly kind: KindDescription; readonly name: string }) {
  const { name: ledger } = useLedger();
  const below = kindsBelow(kind);
  if (below.length === 0) return null;
  return (
    <>
      <h2>{text.record.below}</h2>
      <ul className="links">
        {below.map((one) => (
          <li key={one.record}>
            <Link to="/l/$ledger/$kind" params={{ ledger, kind: one.record }} search={{ parent: name }}>
              {pluralOf(one)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
