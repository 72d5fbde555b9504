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

function formatTime(date: Date, times: 'local' | 'utc'): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
    ...(times === 'utc' ? { timeZone: 'UTC' } : {}),
  }).format(date);
  return times === 'utc' ? `${parts.replace(',', '')} UTC` : parts.replace(',', '');
}
