import './record.css';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ActionLinks } from '../forms/links.js';
import { lineOf } from '../kinds/columns.js';
import { type KindDescription, nameMember, pluralOf } from '../kinds/kinds.js';
import { RecordPages } from '../kinds/record-pages.js';
import { useLedger } from '../session/context.js';
import { Fault, NotFound } from '../session/fault.js';
import { text } from '../text/en.js';
import { recordText } from '../text/record.js';
import { JsonText } from '../ui/json.js';
import { Badge, Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Tabs } from '../ui/tabs.js';
import { judge, type Verdict } from '../verify/judge.js';
import { About } from './about.js';
import { InTime } from './in-time.js';
import { Members } from './members.js';
import { Proofs } from './proofs.js';
import { type RecordSearch, recordAskedOf } from './search.js';
import { VerdictSteps } from './steps.js';
import { type RecordAsked, type ShownRecord, useRecord } from './use-record.js';
import { VerdictNotice } from './verdict.js';

/** One record: what it holds, who has signed it, and whether that is so. */
export function RecordPage() {
  const { kind: record, id } = useParams({ from: '/l/$ledger/$kind/$id' });
  const search: RecordSearch = useSearch({ from: '/l/$ledger/$kind/$id' });
  const asked = recordAskedOf(record, id, search);
  return asked ? <Loaded key={[record, id, asked.change].join()} asked={asked} /> : <NotFound />;
}

function Loaded({ asked }: { readonly asked: RecordAsked }) {
  const shown = useRecord(asked);
  if (shown.error) {
    return (
      <>
        <header className="page-head">
          <p className="crumb">
            <Crumb kind={asked.kind} parent={asked.parent} />
          </p>
          <h1>
            <Plain value={asked.id} most={120} />
          </h1>
        </header>
        <Fault error={shown.error} retry={() => void shown.refetch()} />
      </>
    );
  }
  if (!shown.data) return <Skeleton lines={12} label={text.loading} />;
  return <RecordView asked={asked} shown={shown.data} />;
}

function RecordView({ asked, shown }: { readonly asked: RecordAsked; readonly shown: ShownRecord }) {
  const { pin } = useLedger();
  const { record, fault } = shown;
  const verdict = useMemo(() => judge(record, pin.key), [record, pin.key]);
  const isFine = verdict.isFine && fault === undefined;
  return (
    <article>
      <Head asked={asked} shown={shown} isGiven={verdict.status === 'given'} />
      <VerdictNotice verdict={verdict} fault={fault} />
      {isFine && asked.change === undefined && (
        <ActionLinks kind={asked.kind.record} parent={asked.parent} id={record.luid} status={record.meta.status} />
      )}
      <VerdictSteps record={record} verdict={verdict} />
      <Content asked={asked} shown={shown} verdict={verdict} />
      {isFine && <InTime asked={asked} record={record} accepted={countersignedAt(verdict)} />}
      <section aria-labelledby="limits-title">
        <h2 id="limits-title">{recordText.limits.title}</h2>
        <ul className="limits">
          {recordText.limits.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </section>
    </article>
  );
}

function countersignedAt({ countersignature }: Verdict): string | undefined {
  const moment = countersignature?.proof.custom?.moment;
  return typeof moment === 'string' ? moment : undefined;
}

interface HeadProps {
  readonly asked: RecordAsked;
  readonly shown: ShownRecord;
  /** Whether the proofs give the status. */
  readonly isGiven: boolean;
}

function Head({ asked: { kind, parent, id, change }, shown: { record }, isGiven }: HeadProps) {
  const { name: ledger } = useLedger();
  const name = lineOf(record.data[nameMember(kind)]) || String(record.luid);
  const { status } = record.meta;
  const search = parent === undefined ? {} : { parent };
  return (
    <header className="page-head">
      <p className="crumb">
        <Crumb kind={kind} parent={parent} /> <RecordPages ledger={ledger} kind={kind} id={record.luid} />
      </p>
      <h1>
        <Plain value={name} most={120} />{' '}
        {typeof status === 'string' && (
          <Badge tone="plain">
            <Plain value={status.slice(0, 60)} />
          </Badge>
        )}{' '}
        {typeof status === 'string' && !isGiven && <span className="hint">{recordText.said}</span>}{' '}
        {change !== undefined && <Badge tone="warn">{recordText.version(change)}</Badge>}
      </h1>
      {change !== undefined && (
        <Notice tone="plain" title={recordText.notNewest}>
          <Link to="/l/$ledger/$kind/$id" params={{ ledger, kind: kind.record, id }} search={search}>
            {recordText.newest}
          </Link>
        </Notice>
      )}
    </header>
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

function Content({ asked: { kind }, shown, verdict }: { asked: RecordAsked; shown: ShownRecord; verdict: Verdict }) {
  const { record } = shown;
  return (
    <>
      <div className="columns">
        <section aria-labelledby="data-title">
          <h2 id="data-title">{recordText.data}</h2>
          <Tabs
            label={recordText.data}
            tabs={[
              { id: 'members', label: recordText.asForm, body: () => <Members kind={kind} data={record.data} /> },
              {
                id: 'json',
                label: recordText.asJson,
                body: () => <JsonText value={record} label={recordText.asJson} />,
              },
            ]}
          />
        </section>
        <About kind={kind} record={record} />
      </div>
      <section aria-labelledby="proofs-title">
        <h2 id="proofs-title">{recordText.proofs}</h2>
        <Proofs proofs={verdict.proofs} />
      </section>
    </>
  );
}
