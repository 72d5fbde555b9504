import './figures.css';
import { moneyText } from '../text/money.js';
import { isolated } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import { useWidth } from '../ui/width.js';
import type { WriteAmount } from './factors.js';
import type { Movement } from './movements.js';

const BALANCE_HEIGHT = 180;
const MARGIN = 10;

interface BalanceChartProps {
  /** Newest first. */
  readonly movements: readonly Movement[];
  readonly opening: bigint;
  readonly now: bigint;
  readonly symbol: string;
  readonly write: WriteAmount;
}

/** The available amount over time, as steps. The table beside it has the very amounts: pixels are rounded. */
export function BalanceChart({ movements, opening, now, symbol, write }: BalanceChartProps) {
  const [ref, width] = useWidth();
  const moved = movements.filter(({ availableBy }) => availableBy !== 0n).reverse();
  const amounts = [opening, ...moved.map(({ after }) => after)];
  const least = amounts.reduce((one, other) => (other < one ? other : one), 0n);
  const most = amounts.reduce((one, other) => (other > one ? other : one), 0n);
  const first = moved[0]?.moment ?? '';
  const last = moved.at(-1)?.moment ?? '';
  const x = scale(Date.parse(first), Date.parse(last), MARGIN, width - MARGIN);
  const y = scale(Number(least), Number(most), BALANCE_HEIGHT - MARGIN, MARGIN);
  const at = (amount: bigint) => y(Number(amount)).toFixed(1);
  const steps = moved.map(({ moment, after }) => `H${x(Date.parse(moment)).toFixed(1)}V${at(after)}`).join('');
  const line = `M0 ${at(opening)}${steps}H${width}`;
  return (
    <figure className="chart" ref={ref}>
      <div className="chart-scale">{write(most, symbol)}</div>
      <svg
        width={width}
        height={BALANCE_HEIGHT}
        role="img"
        aria-label={`${moneyText.chart(symbol)}: ${write(now, symbol)}`}
      >
        <path className="chart-area" d={`${line}V${at(0n)}H0Z`} />
        <line className="chart-zero" x1={0} x2={width} y1={at(0n)} y2={at(0n)} />
        <path className="chart-line" d={line} />
        {moved.length <= 200 &&
          moved.map(({ luid, moment, after, intent }) => (
            <circle
              key={`${luid} ${moment}`}
              className="chart-point"
              cx={x(Date.parse(moment)).toFixed(1)}
              cy={at(after)}
              r={3}
            >
              <title>{`${moment} ${write(after, symbol)} (${isolated(intent.slice(0, 60))})`}</title>
            </circle>
          ))}
      </svg>
      <div className="chart-scale">{write(least, symbol)}</div>
      <figcaption>
        <Time moment={first} />
        <Time moment={last} />
      </figcaption>
    </figure>
  );
}

/** Numbers from one range in another. */
function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  return (value) => (to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start));
}
