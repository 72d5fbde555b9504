import type { RightTerms } from '../access/context.js';
import { defineAccessRules } from '../access/rules.js';
import { UNBOUNDED } from '../metering/task.js';
import { all } from './all.js';
import type { DataDeclaration, KindData, KindDeclaration, OptionalGroups, RecordNames } from './declaration.js';
import type { Kind, KindName } from './kind.js';
import { collectNames, rightTermsOf } from './names.js';

const declared: readonly KindDeclaration[] = Object.values(all);

/** The enumerations that name kinds. */
export const recordNames: RecordNames = collectNames(declared);

defineAccessRules(recordNames.records);

/** Every kind of record. */
export const kinds: readonly Kind[] = declared.map(completeKind);

const kindsByName = new Map<string, Kind>(kinds.map((kind) => [kind.name, kind]));

/** How the kinds change the meaning of access rules. */
export const rightTerms: RightTerms = rightTermsOf(declared);

/** The kind called `name`. */
export function kindNamed(name: KindName): Kind {
  return kindsByName.get(name) as Kind;
}

/** The kind with the groups that its file leaves out. Tests check that the names it declares are those of kinds. */
function completeKind(declaration: KindDeclaration): Kind {
  const {
    links = {},
    access = { bumpsRules: 'never' },
    filters = {},
    secrets = {},
    trail = {},
    birth = {},
  } = declaration;
  const groups = { links, access, filters, secrets, trail, birth } as OptionalGroups<KindName>;
  return { ...declaration, ...groups, name: declaration.name as KindName, data: completeData(declaration.data) };
}

function completeData({ shape, alternatives, check, ...others }: DataDeclaration): KindData {
  const branches = typeof alternatives === 'function' ? alternatives(recordNames) : alternatives;
  return {
    ...others,
    shape: typeof shape === 'function' ? shape(recordNames) : shape,
    ...(branches ? { alternatives: branches } : {}),
    ...(check
      ? { check: (data, previous, config, task = UNBOUNDED) => check(data, previous, config, recordNames, task) }
      : {}),
  };
}
