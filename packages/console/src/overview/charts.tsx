import { overviewText } from '../text/overview.js';
import { Plain } from '../ui/plain.js';
import { Time } from '../ui/time.js';
import type { Bucket } from './buckets.js';

const BARS_WIDTH = 480;
const BARS_HEIGHT = 96;

interface BarsProps {
  readonly label: string;
  readonly buckets: readonly Bucket[];
  readonly format: (value: bigint) => string;
}

/** Values over time as bars, and as a table for who asks for it. */
export function TimeBars({ label, buckets, format }: BarsProps) {
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return <p className="hint">{overviewText.none}</p>;
  const values = [0n, ...buckets.map(({ value }) => value)];
  const most = values.reduce((one, other) => (other > one ? other : one), 0n);
  const step = BARS_WIDTH / buckets.length;
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${BARS_WIDTH} ${BARS_HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
        {buckets.map(({ from, value }, at) => {
          const height = value > 0n ? Math.max(2, (Number(value) / Number(most)) * BARS_HEIGHT) : 0;
          return (
            <rect key={from} x={at * step + 1} y={BARS_HEIGHT - height} width={step - 2} height={height} rx="1.5">
              <title>{`${new Date(from).toISOString()}: ${format(value)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <Time moment={new Date(first.from).toISOString()} />
        <Time moment={new Date(last.to).toISOString()} />
      </figcaption>
      <details>
        <summary>{overviewText.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{overviewText.when}</th>
              <th scope="col">{label}</th>
            </tr>
          </thead>
          <tbody>
            {buckets
              .filter(({ value }) => value > 0n)
              .map(({ from, value }) => (
                <tr key={from}>
                  <td>
                    <Time moment={new Date(from).toISOString()} />
                  </td>
                  <td>{format(value)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

const WORD_TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  delivered: 'good',
  rejected: 'bad',
  failed: 'bad',
  cancelled: 'bad',
};

/** How often each word occurs, as bars beside it. */
export function WordBars({ counts }: { readonly counts: readonly (readonly [word: string, count: number])[] }) {
  if (counts.length === 0) return <p className="hint">{overviewText.none}</p>;
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <ul className="word-bars">
      {counts.slice(0, 8).map(([word, count]) => (
        <li key={word}>
          <span>
            <Plain value={word} most={30} />
          </span>
          <span className="track">
            <span className={`bar ${WORD_TONES[word] ?? ''}`} style={{ width: `${(count / all) * 100}%` }} />
          </span>
          <span>{count}</span>
        </li>
      ))}
    </ul>
  );
}
