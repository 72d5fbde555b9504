import type { Signed } from '@countersign/client';
import { type KindDescription, nameMember } from './kinds.js';

/** Columns that a list shows unless others are chosen: the name, few members that some record has, status, and time. */
export function defaultColumns(kind: KindDescription, records: readonly Signed[]): string[] {
  const name = nameMember(kind);
  const plain = kind.members.filter((member) => member.name !== name && isPlain(member.type));
  const used = plain.map((member) => `data.${member.name}`).filter((column) => isUsed(column, records));
  return [`data.${name}`, ...used.slice(0, 3), 'meta.status', 'meta.moment'];
}

function isUsed(column: string, records: readonly Signed[]): boolean {
  return records.some((record) => lineOf(valueAt(record, column)) !== '');
}

/** Every column that may be chosen. */
export function allColumns(kind: KindDescription): string[] {
  const members = kind.members.map(({ name }) => `data.${name}`);
  return [...members, 'luid', 'hash', 'meta.status', 'meta.moment', 'meta.labels', 'meta.domain', 'meta.owners'];
}

/** The value of a record at a path such as `data.custom.tier`; undefined where there is none. */
export function valueAt(record: Signed, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A value on one line. */
export function lineOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

function isPlain(type: string | readonly string[]): boolean {
  return ['string', 'integer', 'number', 'boolean'].includes(String(type));
}

/** `status` of `meta.status`, `custom.tier` of `data.custom.tier`. */
export function headingOf(column: string): string {
  return column.replace(/^(data|meta)\./, '');
}
