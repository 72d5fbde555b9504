import { isRefusal } from '@countersign/client';
import { canonical, type Json } from '@countersign/protocol';
import type { OpenLedger } from '../../connect.js';
import { nameMemberOf, type Operations, type SignedRecord } from '../records/kind.js';
import type { LayoutTemplate } from './templates.js';

/** How a record of the ledger differs from its template. */
export interface LayoutDifference {
  readonly template: LayoutTemplate;
  readonly operations: Operations;
  /** The record as it is; undefined when it is missing. */
  readonly record: SignedRecord | undefined;
  /** Members that have another value, or none. */
  readonly members: readonly string[];
}

/** The operations on the kind of a template. */
function operationsOn({ kind, data }: LayoutTemplate, { ledger }: OpenLedger): Operations {
  const parent = kind.parent === undefined ? undefined : String(data[kind.parent]);
  return ledger.kind(kind.record as Parameters<typeof ledger.kind>[0], parent) as unknown as Operations;
}

/**
 * Compares a record with its template. What the template leaves out may be anything.
 *
 * @returns undefined when the ledger has it
 */
export async function differenceOf(template: LayoutTemplate, open: OpenLedger): Promise<LayoutDifference | undefined> {
  const operations = operationsOn(template, open);
  const names = Object.keys(template.data);
  const record: SignedRecord | undefined = await operations
    .get(String(template.data[nameMemberOf(template.kind).name]))
    .catch((error: unknown) => {
      if (isRefusal(error, 'record.not-found')) return undefined;
      throw error;
    });
  if (record === undefined) return { template, operations, record, members: names };
  const members = names.filter(
    (name) => !isSameMember(record.data[name] as Json | undefined, template.data[name] as Json),
  );
  return members.length === 0 ? undefined : { template, operations, record, members };
}

/** What a ledger lacks of the templates, in their order. */
export async function findDifferences(
  templates: readonly LayoutTemplate[],
  open: OpenLedger,
): Promise<LayoutDifference[]> {
  const found: LayoutDifference[] = [];
  for (const template of templates) {
    const difference = await differenceOf(template, open);
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

function isSameMember(one: Json | undefined, other: Json): boolean {
  return one !== undefined && canonical(one) === canonical(other);
}
