import type { all } from './all.js';
import type { DeclaredCondition, KindData, KindIdentity, Lifecycle, OptionalGroups } from './declaration.js';

export type { Only, OperationName } from './declaration.js';

/** The names of kinds in rules, schemas, signals and stored rows (interface/access#record-names). */
export type KindName = keyof typeof all;

/** A kind of record as the rest of the server knows it: what its file declares, with all groups. */
export interface Kind extends KindIdentity, OptionalGroups<KindName> {
  readonly name: KindName;
  readonly data: KindData;
  readonly lifecycle: Lifecycle<KindName>;
}

/** A condition that access policies may ask of records of a kind. */
export type Condition = DeclaredCondition<KindName>;
