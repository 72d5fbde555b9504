import type { Signed } from '@countersign/client';
import type { ListFilter } from '../kinds/filter.js';

/** A place in a list: right behind a record, as it was when it changed at that moment. */
export interface Place {
  readonly moment: string;
  readonly luid: string;
}

const TEXT = /^(\d{4}-\d{2}-\d{2}T[\d:.]+Z) (\$[a-z]{3}\.[\w-]{17})$/;

/** The place behind a record, as an address keeps it. */
export function placeAfter({ meta, luid }: Signed): Place {
  return { moment: String(meta.moment), luid: String(luid) };
}

export function placeText({ moment, luid }: Place): string {
  return `${moment} ${luid}`;
}

/** The place that `placeText` wrote; undefined for any other text. */
export function parsePlace(text: string): Place | undefined {
  const [, moment, luid] = TEXT.exec(text) ?? [];
  return moment === undefined || luid === undefined || Number.isNaN(Date.parse(moment)) ? undefined : { moment, luid };
}

/** A filter for the records from a place on: lists have the latest change in front (interface/lists#order). */
export function filterFrom(filter: ListFilter, place: Place | undefined): ListFilter {
  if (place === undefined) return filter;
  return { ...filter, 'meta.moment': { ...filter['meta.moment'], $lte: place.moment } };
}

/** Whether the record of a place is among records. */
export function shows(records: readonly Signed[], place: Place | undefined): boolean {
  return records.some(({ luid }) => luid === place?.luid);
}

/**
 * Those of records from a place on that are behind it. All are, where its record has changed and moved to the front: so
 * `records` must have its record, or all records of its moment.
 */
export function behind(records: readonly Signed[], place: Place | undefined): readonly Signed[] {
  return records.slice(records.findIndex(({ luid }) => luid === place?.luid) + 1);
}
