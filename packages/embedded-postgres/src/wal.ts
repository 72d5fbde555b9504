/** Bytes of a segment of the write-ahead log: what `initdb` chooses. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;

const SEGMENTS_PER_FILE_ID = 2 ** 32 / SEGMENT_BYTES;

/** A segment of the write-ahead log, by the timeline that it was written on and its number on it. */
export interface Segment {
  readonly timeline: number;
  readonly number: number;
}

/** The segment of a file's name; undefined for any other file. */
export function parseSegment(name: string): Segment | undefined {
  const [, timeline, id, within] = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/.exec(name) ?? [];
  if (timeline === undefined || id === undefined || within === undefined) return undefined;
  return {
    timeline: Number.parseInt(timeline, 16),
    number: Number.parseInt(id, 16) * SEGMENTS_PER_FILE_ID + Number.parseInt(within, 16),
  };
}

/** The name that PostgreSQL gives to the file of a segment. */
export function nameSegment({ timeline, number }: Segment): string {
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
  return hex(timeline) + hex(Math.floor(number / SEGMENTS_PER_FILE_ID)) + hex(number % SEGMENTS_PER_FILE_ID);
}

/** A position in the write-ahead log, as PostgreSQL writes it (`0/2000028`), in bytes. */
export function parsePosition(text: string): number {
  const [high = '', low = ''] = text.split('/');
  return Number.parseInt(high, 16) * 2 ** 32 + Number.parseInt(low, 16);
}

/** The number of the segment that a position lies in. */
export function segmentAt(position: number): number {
  return Math.floor(position / SEGMENT_BYTES);
}

/** What the name of a segment that is not complete yet ends with. */
export const PARTIAL = '.partial';

/** The names and SHA-256 of all complete segments, as `sha256sum` writes them. */
export const SUMS = 'SHA256SUMS';
