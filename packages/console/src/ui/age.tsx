import { now } from './clock.js';
import { Time } from './time.js';

const AGE_UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** How long ago a moment was, with the moment itself. */
export function Age({ moment }: { readonly moment: string }) {
  const seconds = Math.round((Date.parse(moment) - now()) / 1000);
  if (Number.isNaN(seconds)) return <Time moment={moment} />;
  const [unit, size] = AGE_UNITS.find(([, one]) => Math.abs(seconds) >= one) ?? AGE_UNITS[3];
  const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(seconds / size), unit);
  return (
    <span className="age">
      {words} · <Time moment={moment} />
    </span>
  );
}
