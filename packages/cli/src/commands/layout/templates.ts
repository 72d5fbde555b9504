import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { type OpenLedger, openLedger } from '../../connect.js';
import type { Definition } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { parseInputObject, readText } from '../../terminal/input.js';
import { nameMemberOf } from '../records/kind.js';

/** What every command about layouts takes. */
export const LAYOUT = {
  arguments: [
    {
      name: 'layout',
      about: 'handle of a layout policy; a file with --local',
      ask: { kind: 'text', message: 'Handle of the layout policy' },
    },
  ],
  options: [
    { flags: '--local', about: 'read the layout from a file on this machine, @- from standard input' },
    { flags: '--select <kind...>', about: 'only records of these kinds' },
  ],
  connects: true,
} as const satisfies Partial<Definition>;

/** A record that a layout wants. */
export interface LayoutTemplate {
  readonly kind: KindDescription;
  /** What names it: `shop`, `staff/ada` below another. */
  readonly name: string;
  readonly data: JsonObject;
}

/** A layout: `{custom: {title}, values: [{record, values: [{data}]}]}` (interface/policies#layout-policies). */
export interface ParsedLayout {
  readonly title: string;
  readonly templates: readonly LayoutTemplate[];
}

/**
 * Reads the layout that a call names.
 *
 * @param open the ledger, where it is needed anyway; without it, it is opened for a policy only
 */
export async function layoutOf(invocation: Invocation, open?: OpenLedger): Promise<ParsedLayout> {
  const named = await invocation.need('layout');
  const wanted = invocation.all('select');
  for (const record of wanted) templateKind(record);
  const { custom, values } = invocation.is('local')
    ? await fromFile(invocation, named)
    : await fromPolicy(open ?? (await openLedger(invocation)), named);
  const title = isObject(custom) && typeof custom.title === 'string' ? custom.title : named;
  if (!Array.isArray(values)) throw layoutFailure(named, 'values is not an array');
  const templates = values.flatMap((value) => templatesOf(named, value));
  return { title, templates: templates.filter(({ kind }) => wanted.length === 0 || wanted.includes(kind.record)) };
}

async function fromFile(invocation: Invocation, path: string): Promise<JsonObject> {
  return parseInputObject(path === '@-' ? await invocation.input() : await readText(path), path);
}

async function fromPolicy({ ledger }: OpenLedger, handle: string): Promise<JsonObject> {
  const { data } = await ledger.policies.get(handle);
  if (data.schema !== 'layout') {
    throw usage(`${handle} is not a layout policy.`, 'list them: countersign policy list --filter data.schema=layout');
  }
  return data as unknown as JsonObject;
}

function templatesOf(layout: string, value: Json): LayoutTemplate[] {
  if (!isObject(value) || typeof value.record !== 'string' || !Array.isArray(value.values)) {
    throw layoutFailure(layout, 'a value has no record and values');
  }
  const kind = templateKind(value.record);
  return value.values.map((one) => {
    const data = isObject(one) ? one.data : undefined;
    if (!isObject(data)) throw layoutFailure(layout, `a ${kind.record} has no data`);
    const names = [kind.parent, nameMemberOf(kind).name].flatMap((member) =>
      member === undefined ? [] : [data[member]],
    );
    if (!names.every((name) => typeof name === 'string')) throw layoutFailure(layout, `a ${kind.record} has no name`);
    return { kind, name: names.join('/'), data };
  });
}

/** A kind whose records are made by the ledger's clients. */
function templateKind(record: string): KindDescription {
  const kind = DESCRIPTION.find((one) => one.record === record && one.item.includes('{id}'));
  if (kind !== undefined) return kind;
  const kinds = DESCRIPTION.filter(({ item }) => item.includes('{id}')).map((one) => one.record);
  throw usage(`'${record}' is not a kind of record that layouts make.`, `use ${kinds.join(', ')}`);
}

function layoutFailure(layout: string, why: string) {
  return usage(`${layout} is not a layout: ${why}.`, 'docs/interface/policies.md#layout-policies shows one');
}
