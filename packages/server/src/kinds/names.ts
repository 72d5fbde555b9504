import type { Right, RightTerms } from '../access/context.js';
import type { Filters, KindDeclaration } from './kind.js';

export type Filterable = NonNullable<Filters['access']>;

/** The enumerations of the interface that name kinds of record, each in the order in which errors list it. */
export interface Names {
  /** What access rules can be about (contract 03 §6.1). */
  readonly records: readonly string[];
  /** What effects subscribe to (contract 02 §5.2, 06 §6.2). */
  readonly signals: readonly string[];
  /** What users' schemas apply to (contract 02 §1.1). */
  readonly schemas: readonly string[];
  /** What processing policies hand over to bridges (contract 02 §4). */
  readonly forwarded: readonly string[];
  /** What filters of access values may name for some kinds, as patterns (contract 03 §8.2). */
  readonly filterable: ReadonlyMap<string, Filterable>;
}

/** Names of rules that belong to no kind: `any` stands for all. */
const OTHER_RECORDS = ['any', 'request', 'server'];

/** Signals of what is no kind of record, by what raises them. */
const OTHER_SIGNALS = [
  { name: 'balance', signals: ['balance-received'] },
  { name: 'request', signals: ['request-created', 'request-proofs-added', 'request-updated'] },
];

/** Anchors are looked up by data of a schema of its own. */
const OTHER_SCHEMAS = ['anchor-lookup'];

/** The enumerations that follow from what the kinds declare. */
export function namesOf(kinds: readonly KindDeclaration[]): Names {
  return {
    records: byName([...kinds.map(recordsOf), ...OTHER_RECORDS.map((name) => ({ name, names: [name] }))]),
    signals: signalsOf(kinds),
    schemas: [...kinds.filter(({ data }) => data.schemas !== 'none').map(({ name }) => name), ...OTHER_SCHEMAS].sort(),
    forwarded: kinds.filter(({ access }) => access?.forwards).map(({ name }) => name),
    filterable: new Map(
      kinds.flatMap(({ name, filters }) => (filters?.access ? [[name, filters.access] as const] : [])),
    ),
  };
}

/** Rules tell a record, its proofs and its secrets apart. */
function recordsOf({ name, lifecycle, secrets }: KindDeclaration): Group {
  const proofs = lifecycle.operations.includes('proof') ? [`${name}-proof`] : [];
  return { name, names: [name, ...proofs, ...(secrets?.reveals === undefined ? [] : [secrets.reveals])] };
}

/** Signals that a kind raises beside its `subscribable` ones were added later, and stand last. */
function signalsOf(kinds: readonly KindDeclaration[]): string[] {
  const groups = kinds.map(({ name, lifecycle }) => ({
    name,
    names: lifecycle.subscribable ?? [...lifecycle.signals].sort(),
  }));
  const first = byName([...groups, ...OTHER_SIGNALS.map(({ name, signals }) => ({ name, names: signals }))]);
  const last = kinds.flatMap(({ lifecycle }) => lifecycle.signals).filter((signal) => !first.includes(signal));
  return [...first, ...last];
}

interface Group {
  /** What the group is sorted by. */
  readonly name: string;
  readonly names: readonly string[];
}

function byName(groups: readonly Group[]): string[] {
  return groups.toSorted((one, other) => (one.name < other.name ? -1 : 1)).flatMap(({ names }) => names);
}

/** What the kinds change in how access rules are read (contract 03 §6.4, §7). */
export function rightTermsOf(kinds: readonly KindDeclaration[]): RightTerms {
  const alike = new Map<string, Map<string, Right>>();
  for (const { name, links, access } of kinds) {
    if (!links?.under) continue;
    const onParent = alike.get(links.under.kind) ?? new Map<string, Right>();
    for (const [operation, action] of Object.entries(access?.rightsOnParent ?? {})) {
      // The right to read the parent is no right to read what lies under it by itself.
      if (operation !== action) onParent.set(action, { action: operation, record: name });
    }
    alike.set(links.under.kind, onParent);
  }
  return {
    alike,
    ownProofs: new Set(kinds.filter(({ access }) => access?.ownProofs).map(({ name }) => `${name}-proof`)),
  };
}
