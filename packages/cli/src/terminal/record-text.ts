import { isObject, type Json } from '@countersign/protocol';
import { printable } from './printable.js';

/** Lines in place of a member of the data, and the label that each has. */
export type Instead = Readonly<Record<string, readonly [label: string, lines: readonly string[]]>>;

/** A record as people read it: `Label: value`, data and meta in the order in which they were served. */
export function formatRecord(title: string, record: unknown, instead: Instead = {}): string {
  const { luid, hash, data, meta } = record as { luid?: string; hash?: string; data?: Json; meta?: Json };
  const { proofs = [], ...others } = isObject(meta) ? meta : {};
  const lines: [string, string][] = [];
  if (luid !== undefined) lines.push(['luid', luid]);
  if (hash) lines.push(['hash', hash]);
  for (const [name, value] of isObject(data) ? Object.entries(data) : []) {
    const [label, texts] = (Object.hasOwn(instead, name) && instead[name]) || [name, [formatJson(value)]];
    lines.push(...texts.map((text): [string, string] => [label, text]));
  }
  for (const [name, value] of Object.entries(others)) lines.push([`meta.${name}`, formatJson(value)]);
  for (const proof of Array.isArray(proofs) ? proofs : []) lines.push(['proof', formatProof(proof)]);
  // Names of members come from the server, as values do.
  const shown = lines.map((line) => line.map(printable) as [string, string]);
  const width = Math.max(...shown.map(([name]) => name.length)) + 1;
  const heading = `${title} summary:`;
  const rows = shown.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
  return [heading, '-'.repeat(60), ...rows].join('\n');
}

/** A value on one line. */
export function formatJson(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** Who has signed, and what they said. */
function formatProof(proof: Json): string {
  if (!isObject(proof)) return JSON.stringify(proof);
  const who = typeof proof.signer === 'string' ? proof.signer : `key ${String(proof.public).slice(0, 8)}…`;
  // A nonce only makes signatures differ.
  const { moment, status, ledger, record, luid, nonce, ...rest } = isObject(proof.custom) ? proof.custom : {};
  const more = Object.keys(rest).length === 0 ? '' : JSON.stringify(rest);
  return [who, status, moment, more].filter((part) => part !== undefined && part !== null && part !== '').join('  ');
}
