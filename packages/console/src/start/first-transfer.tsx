import './begin.css';
import type { WriteOptions } from '@countersign/client';
import { formatAmount, parseAmount } from '@countersign/client/amounts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Verified } from '../forms/verified.js';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import type { OpenLedger } from '../session/open-ledger.js';
import { askToSignIn } from '../session/sign-in-asked.js';
import { doingText } from '../text/doing.js';
import { text } from '../text/en.js';
import { Code } from '../ui/copy.js';
import { Filled } from '../ui/filled.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain } from '../ui/plain.js';
import { Finished } from './finished.js';
import { type Progress, readProgress, signedOf } from './progress.js';
import { StepForm, type StepQuestion } from './step-form.js';
import { Step, Steps } from './steps.js';

/** Milliseconds between two looks at an intent that is under way. */
const PROGRESS_AGAIN = 1000;

/** The last step to a first transfer. What the ledger holds says how far it is: a reload goes on from there. */
export function FirstTransferPage() {
  const ledger = useLedger();
  const { name, pin, identity, client, record } = ledger;
  const progress = useQuery({
    queryKey: [...scopeOf(ledger), 'progress'],
    queryFn: () => readProgress(client),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? PROGRESS_AGAIN : false),
  });
  const isDone = progress.data?.transfer?.meta.status === 'completed';
  return (
    <Steps>
      <Step number={1} title={doingText.begin.key.title} state={identity.kind === 'nobody' ? 'now' : 'done'}>
        {identity.kind === 'key' && (
          <p>
            <Plain value={identity.name} most={40} />{' '}
            <Code value={identity.signer.public} label={text.identity.publicKey} length={44} />
          </p>
        )}
        {identity.kind === 'nobody' && (
          <>
            <p>{doingText.sign.signInFirst}</p>
            <button type="button" onClick={askToSignIn}>
              {text.identity.choose}
            </button>
          </>
        )}
      </Step>
      <Step number={2} title={doingText.begin.ledger.title} state="done">
        <p>
          <Plain value={name} most={60} /> <Code value={pin.key} label={doingText.begin.ledger.key} length={44} />
        </p>
        <Verified record={record} systemKey={pin.key} ledger={name} title={`${doingText.begin.ledger.made}.`} isBrief />
      </Step>
      <Step
        number={3}
        title={doingText.begin.transfer.title}
        about={doingText.begin.transfer.about}
        state={isDone ? 'done' : 'now'}
      >
        {progress.error && <Fault error={progress.error} retry={() => void progress.refetch()} />}
        {progress.isPending && <Skeleton lines={4} label={text.loading} />}
        {progress.data && (
          <>
            <Made progress={progress.data} />
            <Next ledger={ledger} progress={progress.data} refresh={() => void progress.refetch()} />
          </>
        )}
      </Step>
      {isDone && progress.data && <Finished progress={progress.data} />}
    </Steps>
  );
}

/** What is there already, each record judged here. */
function Made({ progress: { symbol, wallets, issue, transfer } }: { readonly progress: Progress }) {
  const { name: ledger, pin } = useLedger();
  const words = doingText.begin.transfer;
  const all = [
    ...(symbol ? [{ record: symbol, title: words.madeSymbol, names: [symbol.data.handle] }] : []),
    ...wallets.map((wallet) => ({ record: wallet, title: words.madeWallet, names: [wallet.data.handle] })),
    ...(issue ? [{ record: issue, title: () => words.issued, names: [] }] : []),
    ...(transfer ? [{ record: transfer, title: () => words.transferred, names: [] }] : []),
  ];
  return all.map(({ record, title, names }) => (
    <Verified
      key={record.luid}
      record={signedOf(record)}
      systemKey={pin.key}
      ledger={ledger}
      isBrief
      title={
        <>
          <Filled of={title} names={names} most={80} />.
        </>
      }
    />
  ));
}

interface NextProps {
  readonly ledger: OpenLedger;
  readonly progress: Progress;
  readonly refresh: () => void;
}

/** The form of what is to be made next. */
function Next({ ledger: { client }, progress, refresh }: NextProps) {
  const { symbol, wallets, issue, transfer } = progress;
  const words = doingText.begin.transfer;
  const [first, second] = wallets;
  const shared = { client, onDone: refresh };
  if (symbol === undefined) {
    return (
      <StepForm
        key="symbol"
        {...shared}
        submit={words.makeSymbol}
        questions={[
          { name: 'handle', label: words.symbol, initial: 'usd' },
          {
            name: 'factor',
            label: words.factor,
            about: words.factorAbout,
            initial: '100',
            values: ['1', '10', '100', '1000', '10000'],
          },
        ]}
        send={({ handle, factor }, options) =>
          client.symbols.create(
            { handle, factor: Number(factor) } as Parameters<typeof client.symbols.create>[0],
            options,
          )
        }
      />
    );
  }
  if (first === undefined || second === undefined) {
    const at = wallets.length === 0 ? 0 : 1;
    return (
      <StepForm
        key={`wallet ${at}`}
        {...shared}
        submit={words.makeWallet[at]}
        questions={[{ name: 'handle', label: words.wallet[at], initial: at === 0 ? 'ada' : 'ben' }]}
        send={({ handle }, options) => client.wallets.create({ handle }, options)}
      />
    );
  }
  if (issue === undefined || transfer === undefined) {
    const ends = { source: first.data.handle, target: second.data.handle };
    const move = issue === undefined ? ('issue' as const) : ('transfer' as const);
    return <MoveStep key={move} {...shared} {...{ move, symbol, ends, progress }} />;
  }
  return isUnderWay(progress) ? <p role="status">{words.settling}</p> : null;
}

interface MoveStepProps {
  readonly client: OpenLedger['client'];
  readonly onDone: () => void;
  readonly move: 'issue' | 'transfer';
  readonly symbol: NonNullable<Progress['symbol']>;
  readonly ends: { readonly source: string; readonly target: string };
  readonly progress: Progress;
}

/** Issues to the first wallet, or moves from it to the second, and waits until the ledger has decided. */
function MoveStep({ client, onDone, move, symbol, ends, progress }: MoveStepProps) {
  const [isRejected, setRejected] = useState(false);
  const { handle: unit, factor } = symbol.data;
  const { source, target } = ends;
  const words = doingText.begin.transfer;
  const isIssue = move === 'issue';
  const question: StepQuestion = {
    name: 'amount',
    label: isIssue ? words.issueAmount(source, unit) : words.transferAmount(source, target, unit),
    initial: formatAmount((isIssue ? 100 : 25) * factor, factor),
    fault: faultOfAmount(factor),
  };
  const send = async ({ amount = '' }: Readonly<Record<string, string>>, options: WriteOptions) => {
    const wallets = isIssue
      ? { target: { handle: source } }
      : { source: { handle: source }, target: { handle: target } };
    const claim = { action: move, ...wallets, symbol: { handle: unit }, amount: parseAmount(amount, factor) };
    // Those that were rejected keep their names.
    const handle = `${isIssue ? 'opening' : 'payment'}-${progress.intents + 1}`;
    const data = { handle, claims: [claim] } as Parameters<typeof client.intents.create>[0];
    const settled = await client.intents.settled(await client.intents.create(data, options));
    setRejected(settled.meta.status === 'rejected');
  };
  return (
    <>
      {isRejected && <Notice tone="warn" title={words.rejected} />}
      <StepForm
        client={client}
        onDone={onDone}
        submit={isIssue ? words.issue : words.transfer}
        questions={[question]}
        send={send}
      />
    </>
  );
}

function faultOfAmount(factor: number) {
  return (given: string) => {
    const amount = parseAmount(given, factor);
    if (typeof amount === 'string') return doingText.amount.faults[amount];
    return amount > 0 ? undefined : doingText.amount.faults.form;
  };
}

function isUnderWay(progress: Progress | undefined): boolean {
  return [progress?.issue, progress?.transfer].some((intent) => intent && intent.meta.status !== 'completed');
}
