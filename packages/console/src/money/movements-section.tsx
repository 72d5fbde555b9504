import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { scopeOf, useLedger } from '../session/context.js';
import { Fault } from '../session/fault.js';
import { text } from '../text/en.js';
import { moneyText } from '../text/money.js';
import { Notice, Skeleton } from '../ui/notice.js';
import { Plain, visible } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { BalanceChart } from './balance-chart.js';
import { useAmounts, type WriteAmount } from './factors.js';
import type { MoneyKeys } from './intent.js';
import { type Movement, type Movements, readMovements } from './movements.js';
import { IntentName, WalletName } from './names.js';

/** Intents of each side that are read at first, and each time that more are asked for. */
const MOVEMENTS_READ = 200;

/** Movements in the table. */
const MOVEMENTS_LISTED = 500;

interface MovementsSectionProps {
  readonly wallet: string;
  readonly symbol: string;
  readonly available: bigint;
  readonly keys: MoneyKeys;
}

/** What moved a wallet in one symbol: its balance over time, whether that adds up, and each movement. */
export function MovementsSection({ wallet, symbol, available, keys }: MovementsSectionProps) {
  const ledger = useLedger();
  const [most, setMost] = useState(MOVEMENTS_READ);
  const [isDeep, setDeep] = useState(false);
  const read = useQuery({
    queryKey: [...scopeOf(ledger), 'movements', wallet, symbol, most, isDeep, String(available)],
    queryFn: () => readMovements(ledger.client, keys, { wallet, symbol, most, isDeep }, available),
  });
  const place = useRef<HTMLElement>(null);
  // The button that has the focus is gone while more is read.
  const readOn = (change: () => void) => {
    change();
    place.current?.focus();
  };
  return (
    <section ref={place} tabIndex={-1} aria-label={moneyText.overTime}>
      {read.error && <Fault error={read.error} retry={() => void read.refetch()} />}
      {read.isPending && <Skeleton lines={8} label={text.loading} />}
      {read.data && (
        <FoundMovements {...{ found: read.data, symbol, available, keys }}>
          {read.data.hasMore && (
            <button type="button" onClick={() => readOn(() => setMost(most * 2))}>
              {moneyText.readMore}
            </button>
          )}
          {!isDeep && (
            <button
              type="button"
              onClick={() => readOn(() => setDeep(true))}
              title={moneyText.searchAbout(`tel:1@${wallet}`)}
            >
              {moneyText.search}
            </button>
          )}
        </FoundMovements>
      )}
    </section>
  );
}

interface FoundMovementsProps {
  readonly found: Movements;
  readonly symbol: string;
  readonly available: bigint;
  readonly keys: MoneyKeys;
  /** The ways to read more. */
  readonly children: ReactNode;
}

function FoundMovements({ found, symbol, available, keys, children }: FoundMovementsProps) {
  const write = useAmounts([symbol]);
  const { movements, opening, intents, hasMore, unproven } = found;
  return (
    <>
      <h2>{moneyText.overTime}</h2>
      <Sum found={found} symbol={symbol} write={write} isCoreKnown={keys.core !== undefined} />
      <p className="read">
        <span className="hint">{hasMore ? moneyText.readSome(intents) : moneyText.readAll(intents)}</span>
        {children}
      </p>
      {unproven > 0 && <Notice tone="bad" title={moneyText.notProven(unproven)} />}
      {movements.length === 0 ? (
        <p className="hint">{moneyText.noMovements}</p>
      ) : (
        <>
          <BalanceChart {...{ movements, opening, symbol, write }} now={available} />
          <h2>{moneyText.movements}</h2>
          <MovementsTable {...{ movements, symbol, write }} />
        </>
      )}
    </>
  );
}

interface SumProps {
  readonly found: Movements;
  readonly symbol: string;
  readonly write: WriteAmount;
  /** Whether the key of `core` is in a record that may be read. */
  readonly isCoreKnown: boolean;
}

/** Whether the movements explain the balance. */
function Sum({ found, symbol, write, isCoreKnown }: SumProps) {
  const { opening, intents, hasMore, unproven } = found;
  if (opening === 0n) {
    if (hasMore || unproven > 0) return null;
    return (
      <Notice tone={isCoreKnown ? 'good' : 'warn'} title={moneyText.addsUp}>
        <p>{moneyText.addsUpAbout(intents)}</p>
        {!isCoreKnown && <p>{moneyText.coreNamed}</p>}
      </Notice>
    );
  }
  return (
    <Notice tone="warn" title={moneyText.leavesOut(`${write(opening, symbol)} ${visible(symbol.slice(0, 40))}`)}>
      <p>{moneyText.leavesOutAbout}</p>
    </Notice>
  );
}

interface TableProps {
  readonly movements: readonly Movement[];
  readonly symbol: string;
  readonly write: WriteAmount;
}

function MovementsTable({ movements, symbol, write }: TableProps) {
  const signed = (amount: bigint) => (amount > 0n ? `+${write(amount, symbol)}` : write(amount, symbol));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="amounts" tabIndex={0} aria-label={moneyText.movements}>
      <table>
        <thead>
          <tr>
            <th scope="col">{moneyText.at}</th>
            <th scope="col">{moneyText.intent}</th>
            <th scope="col">{moneyText.others}</th>
            <th scope="col">{moneyText.change}</th>
            <th scope="col">{moneyText.reservedBy}</th>
            <th scope="col">{moneyText.balance}</th>
          </tr>
        </thead>
        <tbody>
          {movements.slice(0, MOVEMENTS_LISTED).map((one) => (
            <tr key={`${one.luid} ${one.moment} ${one.reservedBy}`}>
              <td>
                <Time moment={one.moment} />
              </td>
              <td>
                <IntentName id={one.luid} handle={one.intent} />
              </td>
              <td>
                {one.others.slice(0, 3).map((other) => (
                  <span key={other} className="other">
                    <WalletName handle={other} symbol={symbol} />
                  </span>
                ))}
                {one.others.length > 3 && <Plain value={moneyText.remaining(one.others.length - 3)} />}
              </td>
              <td className={one.availableBy < 0n ? 'less' : 'more'}>
                {one.availableBy === 0n ? '' : signed(one.availableBy)}
              </td>
              <td>{one.reservedBy === 0n ? '' : signed(one.reservedBy)}</td>
              <td>{write(one.after, symbol)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
