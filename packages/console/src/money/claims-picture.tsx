import type { Signed } from '@countersign/client';
import type { PlannedEntry, ProvenIntent } from '@countersign/verifier/intent';
import type { ReactNode } from 'react';
import { moneyText } from '../text/money.js';
import { Plain } from '../ui/plain.js';
import { useAmounts, type WriteAmount } from './factors.js';
import { type Leg, legsOf } from './intent.js';
import { WalletName } from './names.js';

/** Claims that are drawn. */
const CLAIMS_DRAWN = 20;

/** What has become of the amounts, as lines show it. */
type FlowState = 'waiting' | 'reserved' | 'done' | 'failed';

/** The claims of an intent: from which wallet to which one, by which routes and bridges. */
export function ClaimsPicture({ record, proven }: { readonly record: Signed; readonly proven: ProvenIntent }) {
  const legs = legsOf(record.data, proven.entries);
  const write = useAmounts(legs.map(({ symbol }) => symbol));
  const flow = flowOf(record, proven);
  return (
    <>
      <ol className="legs">
        {legs.slice(0, CLAIMS_DRAWN).map((leg, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: claims stay in their places
          <li key={at} className={`leg ${flow}`}>
            <LegPicture leg={leg} write={write} />
          </li>
        ))}
      </ol>
      {legs.length > CLAIMS_DRAWN && <p className="hint">{moneyText.more(legs.length - CLAIMS_DRAWN)}</p>}
    </>
  );
}

function flowOf({ meta }: Signed, { booked, isReserved }: ProvenIntent): FlowState {
  if (booked.some(({ action }) => action === 'post')) return 'done';
  if (meta.status === 'rejected' || meta.status === 'aborted') return 'failed';
  return isReserved ? 'reserved' : 'waiting';
}

function LegPicture({ leg, write }: { readonly leg: Leg; readonly write: WriteAmount }) {
  const { action, symbol, amount, metric, source, target, debit, credit } = leg;
  if (action === 'limit') {
    return (
      <>
        <Stop>{moneyText.limitIs(metric ?? '')}</Stop>
        <Arrow label={metric === 'dailyCount' ? String(amount) : write(amount, symbol)} unit={symbol} />
        <WalletStop address={target} entry={undefined} isLimit />
      </>
    );
  }
  return (
    <>
      {action === 'issue' ? <Stop>{moneyText.issued}</Stop> : <WalletStop address={source} entry={debit} />}
      <Arrow label={write(amount, symbol)} unit={symbol} />
      {action === 'destroy' ? <Stop>{moneyText.destroyed}</Stop> : <WalletStop address={target} entry={credit} />}
    </>
  );
}

/** A side that is no wallet. */
function Stop({ children }: { readonly children: ReactNode }) {
  return <span className="stop outside">{children}</span>;
}

interface WalletStopProps {
  readonly address: string | undefined;
  readonly entry: PlannedEntry | undefined;
  readonly isLimit?: boolean;
}

/** The wallet that an address led to, and the address where it is another one. */
function WalletStop({ address, entry, isLimit = false }: WalletStopProps) {
  const wallet = entry?.wallet ?? (isLimit ? address : undefined);
  return (
    <span className={wallet === undefined ? 'stop open' : 'stop'}>
      {wallet !== undefined && (
        <strong>
          <WalletName handle={wallet} symbol={entry?.symbol} />
        </strong>
      )}
      {address !== undefined && address !== wallet && (
        <span className="via">
          {wallet === undefined ? moneyText.notResolved : moneyText.asClaimed} <Plain value={address} most={60} />
        </span>
      )}
      {entry?.bridge !== undefined && (
        <span className="via">
          <BridgeSign /> {moneyText.bridge} <Plain value={entry.bridge} most={40} />
        </span>
      )}
    </span>
  );
}

function BridgeSign() {
  return (
    <svg className="bridge-sign" viewBox="0 0 20 12" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M0 10h20M3 10V3m14 7V3M0 6c2 0 3-3 3-3 2 4 12 4 14 0 0 0 1 3 3 3M7 10V5.7m3 4.3V6m3 4V5.7" />
    </svg>
  );
}

function Arrow({ label, unit }: { readonly label: string; readonly unit: string }) {
  return (
    <span className="arrow">
      <span className="arrow-label">
        <strong>{label}</strong> <Plain value={unit} most={20} />
      </span>
      <svg className="arrow-line" aria-hidden="true">
        <line x1="0" x2="100%" y1="6" y2="6" />
        <svg x="100%" aria-hidden="true">
          <path d="M-10 1L0 6L-10 11Z" />
        </svg>
      </svg>
    </span>
  );
}
