import type { Right, RightTerms } from '../access/context.js';
import type { KindDeclaration, RecordNames } from './declaration.js';

/** Subjects of rules that belong to no kind; `any` stands for all. */
const OTHER_RECORDS = ['any', 'request', 'server'];

/** Signals that belong to no kind, by what raises them. */
const OTHER_SIGNALS = [
  { name: 'balance', signals: ['balance-received'] },
  { name: 'request', signals: ['request-created', 'request-proofs-added', 'request-updated'] },
];

/** Anchors are looked up by data of a schema of its own. */
const OTHER_SCHEMAS = ['anchor-lookup'];

/** The enumerations that follow from what the kinds declare. */
export function collectNames(kinds: readonly KindDeclaration[]): RecordNames {
  return {
    records: sortNames([...kinds.map(toNameGroup), ...OTHER_RECORDS.map((name) => ({ name, names: [name] }))]),
    signals: signalsOf(kinds),
    schemas: [...kinds.filter(({ data }) => data.schemas !== 'none').map(({ name }) => name), ...OTHER_SCHEMAS].sort(),
    forwarded: kinds.filter(({ access }) => access?.forwards).map(({ name }) => name),
    filterable: new Map(
      kinds.flatMap(({ name, filters }) => (filters?.access ? [[name, filters.access] as const] : [])),
    ),
  };
}

/** Rules distinguish a record, its proofs and its secrets. */
function toNameGroup({ name, lifecycle, secrets }: KindDeclaration): NameGroup {
  const proofs = lifecycle.operations.includes('proof') ? [`${name}-proof`] : [];
  return { name, names: [name, ...proofs, ...(secrets?.reveals === undefined ? [] : [secrets.reveals])] };
}

/** Signals beside the `subscribable` ones were added later, and come last. */
function signalsOf(kinds: readonly KindDeclaration[]): string[] {
  const groups = kinds.map(({ name, lifecycle }) => ({
    name,
    names: lifecycle.subscribable ?? [...lifecycle.signals].sort(),
  }));
  const first = sortNames([...groups, ...OTHER_SIGNALS.map(({ name, signals }) => ({ name, names: signals }))]);
  const last = kinds.flatMap(({ lifecycle }) => lifecycle.signals).filter((signal) => !first.includes(signal));
  return [...first, ...last];
}

interface NameGroup {
  /** What the group is sorted by. */
  readonly name: string;
  readonly names: readonly string[];
}

function sortNames(groups: readonly NameGroup[]): string[] {
  return groups.toSorted((one, other) => (one.name < other.name ? -1 : 1)).flatMap(({ names }) => names);
}

/** How the kinds change the meaning of access rules (interface/access#levels, interface/circles#members). */
export function rightTermsOf(kinds: readonly KindDeclaration[]): RightTerms {
  const alike = new Map<string, Map<string, Right>>();
  for (const { name, links, access } of kinds) {
    if (!links?.under) continue;
    const onParent = alike.get(links.under.kind) ?? new Map<string, Right>();
    for (const [operation, action] of Object.entries(access?.rightsOnParent ?? {})) {
      // The right to read the parent does not include reading the records under it.
      if (operation !== action) onParent.set(action, { action: operation, record: name });
    }
    alike.set(links.under.kind, onParent);
  }
  return {
    alike,
    ownProofs: new Set(kinds.filter(({ access }) => access?.ownProofs).map(({ name }) => `${name}-proof`)),
  };
}
