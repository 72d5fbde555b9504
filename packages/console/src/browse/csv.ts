import type { Signed } from '@countersign/client';
import { headingOf, lineOf, valueAt } from '../kinds/columns.js';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Records as CSV (RFC 4180), a column for each that is chosen. What strangers wrote is never a formula. */
export function csvOf(records: readonly Signed[], columns: readonly string[]): string {
  const rows = records.map((record) => columns.map((column) => lineOf(valueAt(record, column))));
  return [columns.map(headingOf), ...rows].map((row) => `${row.map(cell).join()}\r\n`).join('');
}

function cell(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
