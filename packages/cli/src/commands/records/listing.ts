import type { KindDescription } from '@countersign/client/description';
import { isFilterable, parseFilterTerm, splitFilterKey } from '@countersign/client/filter-terms';
import { isObject, type Json, type JsonObject } from '@countersign/protocol';
import type { Option } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { parseInputObject, resolveText } from '../../terminal/input.js';
import { table } from '../../terminal/table.js';

/** Records that a list shows unless more are asked for. */
const DEFAULT_COUNT = '20';

export const LISTING: readonly Option[] = [
  {
    flags: '--filter <filter...>',
    about:
      'path=value, path.$operator=value (values of $in and $nin separated by commas), or an object of these as JSON',
  },
  { flags: '--limit <number>', about: 'how many at most', default: DEFAULT_COUNT },
  { flags: '--all', about: 'all of them' },
];

/**
 * The filters that flags tell, as the client takes them: `{path: {$operator: value}}`.
 *
 * @param members that the list can be filtered by; the server ignores a parameter that is like none of them
 */
export async function filterOf(
  invocation: Invocation,
  members: readonly string[],
): Promise<Record<string, JsonObject>> {
  const filter: Record<string, JsonObject> = {};
  for (const given of invocation.all('filter')) {
    const text = await resolveText(given, () => invocation.input());
    for (const [path, operator, value] of text.trim().startsWith('{') ? fromObject(text) : [fromText(text)]) {
      if (!isFilterable(path, members)) {
        throw usage(`The list cannot be filtered by '${path}'.`, `use ${members.join(', ')}`);
      }
      filter[path] = { ...filter[path], [operator]: value };
    }
  }
  return filter;
}

/** The members that a list of a kind can be filtered by. */
export function filterNames(kind: KindDescription, operation: string): readonly string[] {
  return kind.operations.find(({ name }) => name === operation)?.filters ?? [];
}

type OneFilter = readonly [path: string, operator: string, value: Json];

function fromText(text: string): OneFilter {
  const term = parseFilterTerm(text);
  if (term === undefined) throw usage(`'${text}' is not a filter.`, 'give path=value, such as data.custom.tier=gold');
  return [term.path, term.operator, term.value as Json];
}

function fromObject(text: string): OneFilter[] {
  return Object.entries(parseInputObject(text, '--filter')).flatMap(([key, value]): OneFilter[] => {
    const [path, operator] = splitFilterKey(key);
    if (isObject(value)) return Object.entries(value).map(([one, operand]) => [path, one, operand]);
    return [[path, operator, value]];
  });
}

/** How the items of a list are shown. */
interface ListFormat<Item> {
  readonly headings: readonly string[];
  row(item: Item): readonly unknown[];
}

/** Writes the items of a list, as many as flags allow. */
export async function writeList<Item>(
  invocation: Invocation,
  items: AsyncIterable<Item>,
  { headings, row }: ListFormat<Item>,
): Promise<void> {
  const { output } = invocation;
  const most = limitOf(invocation);
  const found: Item[] = [];
  let hasMore = false;
  for await (const item of items) {
    hasMore = found.length === most;
    if (hasMore) break;
    found.push(item);
  }
  output.result(found as unknown as Json, () =>
    table(
      headings,
      found.map((item) => row(item).map((cell) => (cell === undefined || cell === null ? '' : String(cell)))),
      output.width,
    ),
  );
  if (hasMore) output.note(`There are more than ${most}: --all or --limit shows them.`);
}

function limitOf(invocation: Invocation): number {
  if (invocation.is('all')) return Number.POSITIVE_INFINITY;
  const text = invocation.get('limit') ?? DEFAULT_COUNT;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usage(`'${text}' is not a limit.`, 'give a number of at least 1');
  return Number(text);
}
