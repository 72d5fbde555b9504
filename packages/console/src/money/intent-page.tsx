import './money.css';
import type { Signed } from '@countersign/client';
import type { ProvenIntent } from '@countersign/verifier/intent';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { moneyText } from '../text/money.js';
import { Line } from '../ui/line.js';
import { Badge, Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { RecordLink } from '../ui/record-link.js';
import { Time } from '../ui/time.js';
import { isWhole, judge, type Verdict } from '../verify/judge.js';
import { ClaimsPicture } from './claims-picture.js';
import { expiryOf, type MoneyKeys, proveIntentByKeys, stateOf } from './intent.js';
import { useMoneyKeys } from './keys.js';
import { ThreadSection } from './thread-section.js';
import { Trail } from './trail.js';

/** Milliseconds until an intent that is not final is looked at again. */
const INTENT_AGAIN = 5000;

/** An intent as a picture: what it moves, how far it is, what it waits for. */
export function IntentPage() {
  const { id } = useParams({ from: '/l/$ledger/money/intent/$id' });
  const ledger = useLedger();
  const keys = useMoneyKeys();
  const intent = useQuery({
    queryKey: [...scopeOf(ledger), 'intent', id],
    queryFn: async () => (await ledger.client.intents.get(id)) as unknown as Signed,
    // Only while the page is in sight.
    refetchInterval: ({ state }) => (isOver(state.data) || state.error ? false : INTENT_AGAIN),
  });
  const error = intent.error ?? keys.error;
  if (error) return <Fault error={error} retry={() => void intent.refetch()} />;
  if (!intent.data || !keys.data) return <Skeleton lines={12} label={text.loading} />;
  return <IntentView key={id} record={intent.data} keys={keys.data} />;
}

function isOver(record: Signed | undefined): boolean {
  return record === undefined || ['completed', 'rejected'].includes(String(record.meta.status));
}

function IntentView({ record, keys }: { readonly record: Signed; readonly keys: MoneyKeys }) {
  const { name: ledger, pin } = useLedger();
  const proven = useMemo(() => proveIntentByKeys(record, keys), [record, keys]);
  const verdict = useMemo(() => judge(record, pin.key), [record, pin.key]);
  const { status } = record.meta;
  return (
    <article>
      <header className="page-head">
        <p className="crumb">
          <RecordLink to={{ ledger, kind: 'intent', id: record.luid }}>{moneyText.openRecord}</RecordLink>
        </p>
        <h1>
          <Plain value={String(record.data.handle)} most={120} />{' '}
          <Badge tone={status === 'completed' ? 'good' : status === 'rejected' ? 'bad' : 'warn'}>
            <Plain value={String(status).slice(0, 60)} />
          </Badge>
        </h1>
      </header>
      <IntentVerdict verdict={verdict} proven={proven} isCoreKnown={keys.core !== undefined} />
      <StateSentence record={record} proven={proven} />
      <h2>{moneyText.claims}</h2>
      <ClaimsPicture record={record} proven={proven} />
      <ThreadSection record={record} keys={keys} />
      <h2>{moneyText.trail}</h2>
      <Trail proven={proven} verdict={verdict} keys={keys} />
    </article>
  );
}

interface VerdictProps {
  readonly verdict: Verdict;
  readonly proven: ProvenIntent;
  readonly isCoreKnown: boolean;
}

function IntentVerdict({ verdict, proven: { faults }, isCoreKnown }: VerdictProps) {
  if (verdict.isFine && faults.length === 0)
    return isCoreKnown ? (
      <Notice tone="good" title={moneyText.fine} />
    ) : (
      <Notice tone="warn" title={moneyText.fineWithout} />
    );
  const broken = verdict.proofs.filter((one) => !isWhole(one)).length;
  return (
    <Notice tone="bad" title={moneyText.bad}>
      {!verdict.isFine && <p>{moneyText.badProofs(Math.max(1, broken))}</p>}
      {faults.slice(0, 5).map((fault) => (
        <p key={fault}>
          <Plain value={moneyText.badTrail(fault)} />
        </p>
      ))}
      <p>{text.fault.lieAbout}</p>
    </Notice>
  );
}

/** What the intent is in or waits for, and why it failed. */
function StateSentence({ record, proven }: { readonly record: Signed; readonly proven: ProvenIntent }) {
  const { record: ledger } = useLedger();
  const { state, bridges } = stateOf(record, proven);
  const expiry = expiryOf(record, ledger);
  const failed = proven.steps.find(({ step }) => step === 'failed')?.proofs[0]?.custom;
  const tone = state === 'completed' ? 'good' : state === 'rejected' ? 'bad' : 'plain';
  return (
    <section className={`intent-state ${tone}`} aria-live="polite">
      <p>{moneyText.states[state]}</p>
      {bridges.length > 0 && (
        <p>
          {moneyText.waitsFor} <Line value={bridges} most={60} />
        </p>
      )}
      {expiry !== undefined && (
        <p>
          {moneyText.expires} <Time moment={new Date(expiry).toISOString()} />
        </p>
      )}
      {failed && (
        <p>
          {moneyText.why}: <code>{String(failed.reason).slice(0, 80)}</code> <Plain value={String(failed.detail)} />
        </p>
      )}
    </section>
  );
}
