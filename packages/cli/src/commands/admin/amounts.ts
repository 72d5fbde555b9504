const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const size = bytes / 1024 ** unit;
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** `3 d`, `5 h`, `20 min`, `12 s`. */
export function formatAge(seconds: number): string {
  const [unit, name] = AGES.find(([length]) => seconds >= length) ?? [1, 's'];
  return `${Math.floor(Math.max(0, seconds) / unit)} ${name}`;
}

const AGES: readonly (readonly [length: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** `1 intent`, `2 intents`. */
export function formatCount(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}

/** A length in seconds, as in `90s`, `30m`, `1h`, `2d`; undefined for any other text. */
export function parseAge(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit];
  return seconds === undefined ? undefined : Number(number) * seconds;
}
