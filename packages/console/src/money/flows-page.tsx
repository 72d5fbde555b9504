import './money.css';
import { isRefusal, type Ledger, type Schemas, type Signed } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { moneyText } from '../text/money.js';
import { useFormState } from '../ui/form-state.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain, visible } from '../ui/plain.js';
import { useAmounts, type WriteAmount } from './factors.js';
import { type Flow, type Flows, readFlows } from './flows.js';
import { FlowsPicture } from './flows-picture.js';
import { legsOf, type MoneyKeys } from './intent.js';
import { useMoneyKeys } from './keys.js';
import { WalletName } from './names.js';
import type { FlowsSearch } from './search.js';

/** Symbols to choose from, intents that are read at first, rows of the table. */
const SYMBOLS = 200;
const INTENTS_READ = 400;
const FLOWS_LISTED = 100;

/** What moved between the wallets of a ledger. */
export function FlowsPage() {
  const ledger = useLedger();
  const keys = useMoneyKeys();
  const search: FlowsSearch = useSearch({ from: '/l/$ledger/money' });
  const symbols = useQuery({
    queryKey: [...scopeOf(ledger), 'symbols-moved'],
    queryFn: async () => {
      const [{ items }, moved] = await Promise.all([
        ledger.client.symbols.list({ limit: SYMBOLS }).page(0),
        newestMoved(ledger.client),
      ]);
      return { names: items.map(({ data }: Schemas['symbol']) => data.handle), moved };
    },
  });
  const error = symbols.error ?? keys.error;
  if (error) return <Fault error={error} retry={() => void symbols.refetch()} />;
  if (!symbols.data || !keys.data) return <Skeleton lines={10} label={text.loading} />;
  const { names, moved } = symbols.data;
  const symbol = search.symbol ?? moved ?? names[0];
  return (
    <article>
      <header className="page-head">
        <h1>{moneyText.flows}</h1>
        <p>{moneyText.intro}</p>
      </header>
      {symbol === undefined ? (
        <p className="hint">{moneyText.noSymbols}</p>
      ) : (
        <>
          <Asking names={names} symbol={symbol} search={search} />
          <FlowsOf key={symbol} keys={keys.data} symbol={symbol} search={search} />
        </>
      )}
    </article>
  );
}

/** The symbol that moved last; undefined where none did, or intents may not be read. */
async function newestMoved(client: Ledger): Promise<string | undefined> {
  try {
    const { items } = await client.intents.list({ filter: { 'meta.status': 'completed' }, limit: 1 }).page(0);
    const [intent] = items as unknown as Signed[];
    return intent && legsOf(intent.data, [])[0]?.symbol;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

interface AskingProps {
  readonly names: readonly string[];
  readonly symbol: string;
  readonly search: FlowsSearch;
}

function Asking({ names, symbol, search }: AskingProps) {
  const navigate = useNavigate({ from: '/l/$ledger/money' });
  const [asked, setAsked] = useFormState<FlowsSearch>({ ...search, symbol });
  const show = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: () => asked as never });
  };
  const dateField = (name: 'from' | 'until') => (
    <label>
      {moneyText[name]}
      <input
        type="date"
        value={asked[name] ?? ''}
        onChange={(event) => setAsked({ ...asked, [name]: event.target.value || undefined })}
      />
    </label>
  );
  return (
    <form className="period" onSubmit={show}>
      <label>
        {moneyText.symbol}
        <input
          value={asked.symbol ?? ''}
          list="symbols"
          required
          spellCheck={false}
          dir="auto"
          onChange={(event) => setAsked({ ...asked, symbol: event.target.value })}
        />
        <datalist id="symbols">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      {dateField('from')}
      {dateField('until')}
      <button type="submit" className="primary">
        {moneyText.show}
      </button>
      <p className="hint">{moneyText.periodAbout}</p>
    </form>
  );
}

function FlowsOf({ keys, symbol, search }: { keys: MoneyKeys; symbol: string; search: FlowsSearch }) {
  const ledger = useLedger();
  const [most, setMost] = useState(INTENTS_READ);
  const { from, until } = search;
  const read = useQuery({
    queryKey: [...scopeOf(ledger), 'flows', symbol, from, until, most],
    queryFn: () => readFlows(ledger.client, keys, { symbol, from, until, most }),
  });
  const place = useRef<HTMLElement>(null);
  const readMore = () => {
    setMost(most * 2);
    // The button that has the focus is gone meanwhile.
    place.current?.focus();
  };
  return (
    <section ref={place} tabIndex={-1} aria-label={moneyText.flowsTitle(symbol)}>
      {read.error && <Fault error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Skeleton lines={8} label={text.loading} />}
      {read.data && <FoundFlows found={read.data} symbol={symbol} keys={keys} onMore={readMore} />}
    </section>
  );
}

interface FoundFlowsProps {
  readonly found: Flows;
  readonly symbol: string;
  readonly keys: MoneyKeys;
  readonly onMore: () => void;
}

function FoundFlows({ found, symbol, keys, onMore }: FoundFlowsProps) {
  const write = useAmounts([symbol]);
  const { flows, total, intents, hasMore, unproven } = found;
  if (flows.length === 0 && unproven === 0) return <p className="hint">{moneyText.noFlows}</p>;
  return (
    <>
      <p aria-live="polite">
        <strong>{moneyText.total(write(total, symbol), visible(symbol.slice(0, 40)))}</strong>{' '}
        {keys.core === undefined ? (
          <span className="hint">{moneyText.coreNamed}</span>
        ) : (
          <>
            <span className="tick">✓</span> <span className="hint">{moneyText.checkedIntents(intents)}</span>
          </>
        )}
      </p>
      {hasMore && (
        <Notice tone="warn" title={moneyText.readSome(intents + unproven)}>
          <button type="button" onClick={onMore}>
            {moneyText.readMore}
          </button>
        </Notice>
      )}
      {unproven > 0 && <Notice tone="bad" title={moneyText.notProven(unproven)} />}
      {flows.length > 0 && <FlowsPicture found={found} symbol={symbol} write={write} />}
      <FlowsTable found={found} symbol={symbol} write={write} />
    </>
  );
}

function FlowsTable({ found: { flows }, symbol, write }: { found: Flows; symbol: string; write: WriteAmount }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="amounts flows-table" tabIndex={0} aria-label={moneyText.flows}>
      <table>
        <thead>
          <tr>
            <th scope="col">{moneyText.payer}</th>
            <th scope="col">{moneyText.payee}</th>
            <th scope="col">{moneyText.count}</th>
            <th scope="col">{moneyText.amount}</th>
          </tr>
        </thead>
        <tbody>
          {flows.slice(0, FLOWS_LISTED).map((flow) => (
            <tr key={JSON.stringify([flow.from, flow.to])}>
              <FlowSide wallet={flow.from} outside={moneyText.issued} symbol={symbol} />
              <FlowSide wallet={flow.to} outside={moneyText.destroyed} symbol={symbol} />
              <td>{flow.claims}</td>
              <td>{write(flow.amount, symbol)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {flows.length > FLOWS_LISTED && <p className="hint">{moneyText.flowsMore(flows.length - FLOWS_LISTED)}</p>}
    </section>
  );
}

function FlowSide({ wallet, outside, symbol }: { wallet: Flow['from']; outside: string; symbol: string }) {
  return <td>{wallet === undefined ? <Plain value={outside} /> : <WalletName handle={wallet} symbol={symbol} />}</td>;
}
