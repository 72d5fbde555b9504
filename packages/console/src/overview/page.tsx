import './overview.css';
import type { Signed } from '@countersign/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyLedger } from '../forms/empty-ledger.js';
import { pluralOf } from '../kinds/kinds.js';
import { useAmounts } from '../money/factors.js';
import { useLedger } from '../session/context.js';
import { overviewText as texts } from '../text/overview.js';
import { Code } from '../ui/copy.js';
import { Plain } from '../ui/plain.js';
import { amountsOf } from './amounts.js';
import { Attention } from './attention.js';
import { bucketsOf, countsOf } from './buckets.js';
import { TimeBars, WordBars } from './charts.js';
import { LogCard } from './log-card.js';
import { SAMPLE, type Sample, useDeliveryStates, useSamples } from './use-samples.js';

/** Symbols whose amounts are drawn. */
const MOST_SYMBOLS = 4;

/** What a ledger holds, at a glance: everything that is drawn was verified here. */
export function OverviewPage() {
  const { record, pin } = useLedger();
  const samples = useSamples();
  const of = (name: string): readonly Signed[] => samples.find(({ kind }) => kind.record === name)?.records ?? [];
  const effects = of('effect');
  const deliveries = useDeliveryStates(effects).data ?? [];
  const intents = of('intent');
  const all = samples.flatMap(({ records = [] }) => records);
  const changes = all.map(({ meta }) => ({ at: Date.parse(String(meta.moment)), value: 1n }));
  return (
    <>
      <header className="page-head">
        <h1>
          <Plain value={String(record.data.handle)} most={120} />
        </h1>
        <p>
          {texts.key} <Code value={pin.key} label={texts.key} length={44} />
        </p>
      </header>
      <EmptyLedger />
      <KindCards samples={samples} />
      <div className="panels">
        <Attention intents={intents} policies={of('policy')} deliveries={deliveries} />
        <LogCard />
        <Panel id="latest" title={texts.latest} about={texts.latestAbout(all.length)}>
          <TimeBars label={texts.changes} buckets={bucketsOf(changes)} format={String} />
        </Panel>
        <Panel id="intents" title={texts.intents} about={texts.intentsAbout(intents.length)}>
          <WordBars counts={countsOf(intents.map(({ meta }) => String(meta.status)))} />
        </Panel>
        <Amounts intents={intents} />
        <Panel id="deliveries" title={texts.deliveries} about={texts.deliveriesAbout(effects.length)}>
          <WordBars counts={countsOf(deliveries)} />
        </Panel>
      </div>
    </>
  );
}

interface PanelProps {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly children: ReactNode;
}

function Panel({ id, title, about, children }: PanelProps) {
  return (
    <section className="panel" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p className="hint">{about}</p>
      {children}
    </section>
  );
}

function KindCards({ samples }: { readonly samples: readonly Sample[] }) {
  const { name: ledger } = useLedger();
  return (
    <ul className="cards">
      {samples.map(({ kind, records, isRefused }) => (
        <li key={kind.record}>
          <Link to="/l/$ledger/$kind" params={{ ledger, kind: kind.record }}>
            <span>{pluralOf(kind)}</span>
            <strong>
              {isRefused && texts.unread}
              {records && texts.counted(records.length, records.length >= SAMPLE)}
              {!records && !isRefused && '…'}
            </strong>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Amounts({ intents }: { readonly intents: readonly Signed[] }) {
  const amounts = amountsOf(intents);
  const names = countsOf(amounts.map(({ symbol }) => symbol)).slice(0, MOST_SYMBOLS);
  const write = useAmounts(names.map(([symbol]) => symbol));
  return (
    <Panel id="amounts" title={texts.amounts} about={texts.amountsAbout}>
      {names.length === 0 && <p className="hint">{texts.none}</p>}
      {names.map(([symbol]) => (
        <div key={symbol}>
          <h3>
            <Plain value={symbol} most={40} />
          </h3>
          <TimeBars
            label={symbol}
            buckets={bucketsOf(amounts.filter((one) => one.symbol === symbol))}
            format={(amount) => write(amount, symbol)}
          />
        </div>
      ))}
    </Panel>
  );
}
