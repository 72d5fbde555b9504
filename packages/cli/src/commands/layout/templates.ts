import { DESCRIPTION, type KindDescription } from '@countersign/client/description';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import { type OpenLedger, openLedger } from '../../connect.js';
import type { Definition } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { objectOf, readText } from '../../terminal/input.js';
import { naming } from '../records/kind.js';

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
export interface Template {
  readonly kind: KindDescription;
  /** What names it: `shop`, `staff/ada` below another. */
  readonly name: string;
  readonly data: JsonObject;
}

/** A layout: `{custom: {title}, values: [{record, values: [{data}]}]}` (interface/policies#layout-policies). */
export interface Layout {
  readonly title: string;
  readonly templates: readonly Template[];
}

/**
 * Reads the layout that a call names.
 *
 * @param open the ledger, where it is needed anyway; without it, it is opened for a policy only
 */
export async function layoutOf(invocation: Invocation, open?: OpenLedger): Promise<Layout> {
  const named = await invocation.need('layout');
  const wanted = invocation.all('select');
  for (const record of wanted) kindOf(record);
  const { custom, values } = invocation.is('local')
    ? await fromFile(invocation, named)
    : await fromPolicy(open ?? (await openLedger(invocation)), named);
  const title = isObject(custom) && typeof custom.title === 'string' ? custom.title : named;
  if (!Array.isArray(values)) throw malformed(named, 'values is not an array');
  const templates = values.flatMap((value) => templatesOf(named, value));
  return { title, templates: templates.filter(({ kind }) => wanted.length === 0 || wanted.includes(kind.record)) };
}

async function fromFile(invocation: Invocation, path: string): Promise<JsonObject> {
  return objectOf(path === '@-' ? await invocation.input() : await readText(path), path);
}

async function fromPolicy({ ledger }: OpenLedger, handle: string): Promise<JsonObject> {
  const { data } = await ledger.policies.get(handle);
  if (data.schema !== 'layout') {
    throw usage(`${handle} is not a layout policy.`, 'list them: countersign policy list --filter data.schema=layout');
  }
  return data as unknown as JsonObject;
}

function templatesOf(layout: string, value: Json): Template[] {
  if (!isObject(value) || typeof value.record !== 'string' || !Array.isArray(value.values)) {
    throw malformed(layout, 'a value has no record and values');
  }
  const kind = kindOf(value.record);
  return value.values.map((one) => {
    const data = isObject(one) ? one.data : undefined;
    if (!isObject(data)) throw malformed(layout, `a ${kind.record} has no data`);
    const names = [kind.parent, naming(kind).name].flatMap((member) => (member === undefined ? [] : [data[member]]));
    if (!names.every((name) => typeof name === 'string')) throw malformed(layout, `a ${kind.record} has no name`);
    return { kind, name: names.join('/'), data };
  });
}

/** A kind whose records are made by the ledger's clients. */
function kindOf(record: string): KindDescription {
  const kind = DESCRIPTION.find((one) => one.record === record && one.item.includes('{id}'));
  if (kind !== undefined) return kind;
  const kinds = DESCRIPTION.filter(({ item }) => item.includes('{id}')).map((one) => one.record);
  throw usage(`'${record}' is not a kind of record that layouts make.`, `use ${kinds.join(', ')}`);
}

function malformed(layout: string, why: string) {
  return usage(`${layout} is not a layout: ${why}.`, 'docs/interface/policies.md#layout-policies shows one');
}
