import type { JsonObject, Meta } from '@countersign/protocol';
import type { TObject, TProperties } from 'typebox';
import type { all } from './all.js';
import type { Names } from './names.js';

/** The names rules, schemas, signals and stored rows use for a kind of record (contract 03 §6.1). */
export type KindName = keyof typeof all;

/** The operations of the generic lifecycle. A kind serves those it lists, and no others (contract 06 §2). */
export type Operation = 'create' | 'list' | 'read' | 'update' | 'proof' | 'drop' | 'changes' | 'check';

/**
 * Everything that sets one kind of record apart. The lifecycle (routes, validation, storage, history, access,
 * OpenAPI, and the generated tests) is made from this, so a new kind is one new file in this folder and its line in
 * `all.ts`.
 */
export interface Kind extends Identity {
  readonly data: Data;
  readonly lifecycle: Lifecycle;
  readonly links: Links;
  readonly access: Access;
  readonly filters: Filters;
  readonly secrets: Secrets;
  readonly trail: Trail;
  readonly birth: Birth;
}

/** What the file of a kind exports: a kind without the groups in which it has nothing of its own. */
export interface KindDeclaration extends Identity, Partial<Pick<Kind, OptionalGroup>> {
  readonly data: DataDeclaration;
  readonly lifecycle: Lifecycle;
}

/** The groups that a kind may leave out; the registry then takes them as empty, and as deciding nothing. */
type OptionalGroup = 'links' | 'access' | 'filters' | 'secrets' | 'trail' | 'birth';

/** What the kind is called, and where it is served. */
export interface Identity {
  readonly name: KindName;
  /** As `409` names it: `Signer Factor` in "Signer Factor with handle x already exists." */
  readonly title: string;
  /** As `404` names it: `Signerfactor` in "Signerfactor not found". */
  readonly missing: string;
  /** As `404` names one of its changes; `Change not found` unless given (contract 03 §2.5). */
  readonly missingChange?: string;
  /** The three letters of its luids. */
  readonly prefix: string;
  /** Last segment of the collection's path: `wallets`, `factors`. */
  readonly path: string;
  /** Where a kind of which each ledger has exactly one record serves that record. Its collection is outside of ledgers. */
  readonly only?: Only;
}

/** The paths of the one record of a kind. */
export interface Only {
  readonly path: string;
  /** Where clients of the SDK 2.2 read and update it (contract 01 §14). */
  readonly older: string;
}

/** `Data` as the file of a kind declares it: what depends on the names of other kinds is made from them. */
export type DataDeclaration = Omit<Data, 'shape' | 'alternatives' | 'check'> & {
  readonly shape: TObject | ((names: Names) => TObject);
  readonly alternatives?: readonly TObject[] | ((names: Names) => readonly TObject[]);
  check?(data: JsonObject, previous: JsonObject | undefined, config: JsonObject | undefined, names: Names): void;
};

/** What `data` of a record may be, how it is served, and what its hash is of. */
export interface Data {
  /** Members of `data` on create, without `parent`: what is not listed is refused. */
  readonly shape: TObject;
  /**
   * What `data` must match beyond its members where one closed object cannot say it (alternatives by `data.schema`).
   * When given, it replaces `shape` as the request schema of a create; `parent` is added to each branch for updates.
   */
  readonly alternatives?: readonly TObject[];
  /** The served order of top-level members, after `parent` (contract 01 §3). Members not listed follow as sent. */
  readonly order: readonly string[];
  /** Whether users' schemas apply, and whether `data.schema` is always needed (contract 02 §1.2). */
  readonly schemas: 'applied' | 'required' | 'none';
  /** Detail when `data.schema` names no schema of this kind; the default is the wording of contract 02 §1.2 rule 1. */
  missingSchema?(handle: string): string;
  /** Members that the ledger adds: no create has them, an update may send them back, unchanged as `check` sees to. */
  readonly added?: TProperties;
  /** `data` as stored and served, where the ledger adds to what the client signed (contract 02 §2.1). */
  served?(data: JsonObject, domain: string | undefined): JsonObject;
  /** What the hash may be of, given `data` as served; `data` alone unless given. `hashedForms` asks for it. */
  hashed?(served: JsonObject, domain: string | undefined): readonly JsonObject[];
  /**
   * A new record's data with what the ledger makes of it itself, and the values of secrets it makes; nothing where the
   * client left nothing to the ledger. Such data has another hash than the client signed: its proofs are not kept, and
   * nobody owns the record (contract 03 §2.3).
   */
  generated?(data: JsonObject, random: (bytes: number) => Uint8Array): Generated | undefined;
  /**
   * Checks that are not about shape, on create and update. Throws `LedgerError`. `previous` is absent on create;
   * `config` is that of the ledger, where it has one.
   */
  check?(data: JsonObject, previous?: JsonObject, config?: JsonObject): void;
  /** Steps of a task that `check` takes, where they are many. */
  readonly checkSteps?: number;
  /** Members of `data` that make another record of it: an update that changes one is judged as a create as well. */
  readonly essence?: readonly string[];
}

/** The operations, the statuses a record goes through, and what a proof does to it. */
export interface Lifecycle {
  readonly operations: readonly Operation[];
  /** Signals its operations raise; names only. */
  readonly signals: readonly string[];
  /** The signals that effects subscribe to, in the order errors list them; `signals` in alphabetical order unless given. */
  readonly subscribable?: readonly string[];
  /** Status of a new record; `created` unless given (intents: `pending`). */
  readonly initialStatus?: string;
  /** The statuses a proof may ask for, when they are limited; anything else is `record.schema-invalid`. */
  readonly statuses?: readonly string[];
  /**
   * What a proof asking for `to` does to a record in status `from`. Absent: every status is taken.
   * `repeat` answers the record unchanged and stores nothing (contract 05 §1.4).
   */
  transition?(from: string, to: string): 'moves' | 'repeat' | 'refused';
  /** Whether status policies must have a value for `created` when a record is made (contract 05 §1.3). */
  readonly createdByPolicy?: boolean;
  /** Proofs never change the status: what the ledger does itself does (intents, contract 04 §7). */
  readonly fixedStatus?: boolean;
  /** `meta.moment` stays that of the creation (contract 00, meta.moment). */
  readonly fixedMoment?: boolean;
  /**
   * Members of `meta` that a proof sets, given its `custom` and the status before and after (report assets, contract
   * 05 §1.6). Throws `LedgerError` for a proof whose custom data is not what the kind takes.
   */
  proved?(custom: JsonObject, status: { from: string | undefined; to: string | undefined }): Partial<Meta>;
  /** Members of `meta` of a new record that other kinds do not have. */
  meta?(data: JsonObject, tools: MetaTools): Promise<Partial<Meta>>;
  /** The members of `meta` that `meta` and `proved` set, as OpenAPI describes them. */
  readonly metaShape?: TObject;
  /** Other ends of the path proofs are added under, for older clients: `/sign`. */
  readonly proofAliases?: readonly string[];
}

/** How records of the kind are found, and which others they lie under, name or are named by. */
export interface Links {
  /** The kind whose records these lie under. */
  readonly under?: Nesting;
  /** Whether its records are in the domain of the record they lie under, whatever proofs and handles say. */
  readonly inParentsDomain?: boolean;
  /** The record that its path names it by, for a kind without a handle of its own. */
  readonly to?: Link;
  /** The key that is unique within the kind; `data.handle` unless given. */
  key?(data: JsonObject): string;
  /** The one other value records of this kind are looked up by: a signer's key, the wallet of an anchor. */
  value?(data: JsonObject): string | undefined;
  /**
   * Whether `value` is a key that its record signs with: found when a proof is checked, and registered when it is stored
   * (store/committer/commit-sql.ts).
   */
  readonly isKey?: boolean;
  /** The records `data` names that must exist, in the order they are looked for. */
  relations?(data: JsonObject): readonly Relation[];
  /** The records that keep this one from being dropped. */
  readonly dependants?: readonly Dependants[];
  /** False where other records and rules name this one by its handle for good: an update may not change it. */
  readonly renamable?: boolean;
}

/** What the kind has to do with the decisions on access. */
export interface Access {
  /** Whether a write of this kind can change what a cached ledger state decides (rules, members, schemas). */
  readonly decides: 'never' | 'always' | 'unless-created';
  /** Which part of the ledger's state, as every process holds it, the records of this kind are. */
  readonly part?: 'ledger' | 'policies' | 'domains' | 'schemas';
  /** Handles only the ledger itself has, whose records nobody else may change (contract 03 §1). */
  readonly reserved?: readonly string[];
  /**
   * Whether a plain handle, one without a domain, may be taken by who has rights in a domain only: no rule and no record
   * that decides names the kind by its handle (docs/interface/domains.md).
   */
  readonly freeNames?: boolean;
  /**
   * Operations that are judged by the rules about the record it lies under, and the action those must grant (contract
   * 03 §7, Rights).
   */
  readonly rightsOnParent?: { readonly create: string; readonly drop: string; readonly read: string };
  /**
   * Whether the right to update a record does not allow to add proofs to it: only rules about its proofs do, those of
   * the ledger or of policies (contract 03 §6.4).
   */
  readonly ownProofs?: boolean;
  /** Whether processing policies hand operations on records of this kind to bridges (contract 02 §4). */
  readonly forwards?: boolean;
  /** Conditions that values of access policies may ask of records of this kind, by name (contract 03 §8.2, `invoke`). */
  readonly conditions?: Readonly<Record<string, Condition>>;
}

/** A condition: the caller may do `action` on every record, or on any, that the addresses in `data` lead to. */
export interface Condition {
  readonly quantifier: 'every' | 'any';
  readonly action: string;
  /** The kind of record the addresses lead to. */
  readonly kind: KindName;
  /** `before` is the data as it is stored: that which an update replaces, or `data` itself; absent for a new record. */
  addresses(data: JsonObject, before: JsonObject | undefined): readonly string[];
  /** Whether the addresses of all records of the same thread count. */
  readonly inThread?: boolean;
}

/** What lists of the kind filter by, and access values. */
export interface Filters {
  /**
   * Members of `data`, beside handle, schema and custom (contract 01 §10, 06 §7). One within another is a dotted path
   * without array indexes: `claims.amount` allows `data.claims.0.amount` too.
   */
  readonly data?: readonly string[];
  /** Members of `meta`, beside status, labels, domain and moment; or those taken away. */
  readonly meta?: { readonly more?: readonly string[]; readonly less?: readonly string[] };
  /** What filters of access values may name beside what they may for every kind, as a pattern (contract 03 §8.2). */
  readonly access?: { readonly data?: string; readonly meta?: string };
}

/** Values that travel in `meta.secret` and are kept apart from the record (contract 03 §2.4). */
export interface Secrets {
  /** Names of the secret references in `data`. */
  names?(data: JsonObject): readonly string[];
  /** What `reveal` must be granted on to see its secrets; without it they are never served. */
  readonly reveals?: string;
}

/** Where the proofs and the history of a kind are served otherwise than those of others. */
export interface Trail {
  /** Proofs the server adds on create, in order; `luid` marks the one that carries the luid. */
  readonly created?: readonly { readonly status: string; readonly luid: boolean }[];
  /** HTTP status of a create; 201 unless given. */
  readonly answer?: number;
  /** Whether client proofs are served with `origin`. */
  readonly origin?: boolean;
  /** Whether `meta.labels` appears in change snapshots. */
  readonly labels?: boolean;
}

/** Records of other kinds that a new ledger has because of this one (contract 01 §14). */
export interface Birth {
  /** The data of policies. */
  readonly policies?: readonly JsonObject[];
  /** Users' schemas for records of this kind. Being there is what makes the kind need a schema. */
  readonly schemas?: readonly BirthSchema[];
}

export interface BirthSchema {
  readonly handle: string;
  /** The JSON schema. */
  readonly schema: JsonObject;
  readonly description: string;
}

/** A record that data names and that must exist when the write is stored. */
export interface Relation {
  readonly kind: KindName;
  readonly handle: string;
  /** The error detail when there is no such record. */
  readonly missing: string;
}

/** A record that lives under another: factors under signers, circle signers under circles. */
export interface Nesting {
  readonly kind: KindName;
  /** The member of `data` that names the parent, and the path parameter that must agree with it. */
  readonly member: string;
}

/** The record that a kind without a handle of its own links to the one it lies under: its path names it by that. */
export interface Link {
  readonly kind: KindName;
  /** The member of `data` that names it. */
  readonly member: string;
}

/** The records that keep another from being dropped. */
export interface Dependants {
  readonly kind: KindName;
  /** The member of the dependant's data that names the record to drop. */
  readonly member: string;
  /** The refusal, given the handle to be dropped and the handles of (up to 100 of) its dependants, oldest first. */
  refusal(handle: string, dependants: readonly string[]): { detail: string; custom?: JsonObject };
}

/** What a ledger makes itself of a new record. */
export interface Generated {
  readonly data: JsonObject;
  /** By the names of their references in `data`. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** What a kind may ask for to make its own members of `meta`. */
export interface MetaTools {
  random(bytes: number): Uint8Array;
  /** The domain a record is in, if there is such a record and it is in one. */
  domainOf(kind: KindName, handle: string): Promise<string | undefined>;
}
