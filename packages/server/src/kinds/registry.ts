import type { RightTerms } from '../access/context.js';
import { defineAccessRules } from '../access/rules.js';
import { all } from './all.js';
import type { Data, DataDeclaration, Kind, KindDeclaration, KindName } from './kind.js';
import { type Names, namesOf, rightTermsOf } from './names.js';

const declared: readonly KindDeclaration[] = Object.values(all);

/** The enumerations that name kinds. */
export const names: Names = namesOf(declared);

defineAccessRules(names.records);

/** Every kind of record there is. */
export const kinds: readonly Kind[] = declared.map(complete);

const byName = new Map<string, Kind>(kinds.map((kind) => [kind.name, kind]));

/** What the kinds change in how access rules are read. */
export const rightTerms: RightTerms = rightTermsOf(declared);

/** The kind called `name`. */
export function kindNamed(name: KindName): Kind {
  return byName.get(name) as Kind;
}

/** The kind with the groups that its file leaves out. */
function complete(declaration: KindDeclaration): Kind {
  const { links = {}, access = { decides: 'never' }, filters = {}, secrets = {}, trail = {}, birth = {} } = declaration;
  return { ...declaration, data: shaped(declaration.data), links, access, filters, secrets, trail, birth };
}

function shaped({ shape, alternatives, check, ...others }: DataDeclaration): Data {
  const branches = typeof alternatives === 'function' ? alternatives(names) : alternatives;
  return {
    ...others,
    shape: typeof shape === 'function' ? shape(names) : shape,
    ...(branches ? { alternatives: branches } : {}),
    ...(check ? { check: (data, previous, config) => check(data, previous, config, names) } : {}),
  };
}
