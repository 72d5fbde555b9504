import type { RightTerms } from '../access/context.js';
import { defineAccessRules } from '../access/rules.js';
import { UNBOUNDED } from '../metering/task.js';
import { all } from './all.js';
import type { Data, DataDeclaration, KindDeclaration, Names, OptionalGroups } from './declaration.js';
import type { Kind, KindName } from './kind.js';
import { namesOf, rightTermsOf } from './names.js';

const declared: readonly KindDeclaration[] = Object.values(all);

/** The enumerations that name kinds. */
export const names: Names = namesOf(declared);

defineAccessRules(names.records);

/** Every kind of record. */
export const kinds: readonly Kind[] = declared.map(complete);

const kindsByName = new Map<string, Kind>(kinds.map((kind) => [kind.name, kind]));

/** How the kinds change the meaning of access rules. */
export const rightTerms: RightTerms = rightTermsOf(declared);

/** The kind called `name`. */
export function kindNamed(name: KindName): Kind {
  return kindsByName.get(name) as Kind;
}

/** The kind with the groups that its file leaves out. Tests check that the names it declares are those of kinds. */
function complete(declaration: KindDeclaration): Kind {
  const { links = {}, access = { decides: 'never' }, filters = {}, secrets = {}, trail = {}, birth = {} } = declaration;
  const groups = { links, access, filters, secrets, trail, birth } as OptionalGroups<KindName>;
  return { ...declaration, ...groups, name: declaration.name as KindName, data: completeData(declaration.data) };
}

function completeData({ shape, alternatives, check, ...others }: DataDeclaration): Data {
  const branches = typeof alternatives === 'function' ? alternatives(names) : alternatives;
  return {
    ...others,
    shape: typeof shape === 'function' ? shape(names) : shape,
    ...(branches ? { alternatives: branches } : {}),
    ...(check
      ? { check: (data, previous, config, task = UNBOUNDED) => check(data, previous, config, names, task) }
      : {}),
  };
}
