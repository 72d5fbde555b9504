import { useSettings } from './settings.js';

/** A moment in UTC, or as the clocks here show it. */
export function Time({ moment }: { readonly moment: string }) {
  const { times } = useSettings();
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return <span>{String(moment)}</span>;
  return (
    <time dateTime={moment} title={moment}>
      {formatTime(date, times)}
    </time>
  );
}

const FORM = { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' } as const;

/** Made once: each takes longer to make than a row to draw. */
const FORMATS = {
  local: new Intl.DateTimeFormat('en-CA', FORM),
  utc: new Intl.DateTimeFormat('en-CA', { ...FORM, timeZone: 'UTC' }),
};

function formatTime(date: Date, times: 'local' | 'utc'): string {
  const text = FORMATS[times].format(date).replace(',', '');
  return times === 'utc' ? `${text} UTC` : text;
}
