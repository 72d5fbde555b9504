import type { JsonObject, Meta, RecordEnvelope } from '@countersign/protocol';
import type { TObject, TProperties, TSchema } from 'typebox';
import type { Task } from '../metering/task.js';

/** The operations of the generic lifecycle. A kind serves only those it lists (interface/README#operations). */
export type OperationName = 'create' | 'list' | 'read' | 'update' | 'proof' | 'drop' | 'changes' | 'check';

/**
 * What the file of a kind exports: everything that sets it apart. The lifecycle (routes, validation, storage, history,
 * access, OpenAPI, and the generated tests) is made from this, so a new kind is one new file in this folder and its
 * line in `all.ts`. A kind leaves out the groups in which it follows the default.
 *
 * Kinds name one another by plain strings here, because the type of the names follows from `all.ts`; the tests of the
 * registry check them.
 */
export interface KindDeclaration extends KindIdentity, Partial<OptionalGroups> {
  readonly data: DataDeclaration;
  readonly lifecycle: Lifecycle;
}

/** The groups that a kind may leave out; the registry then takes them as empty, with `access.bumpsRules` as `never`. */
export interface OptionalGroups<Name extends string = string> {
  readonly links: Links<Name>;
  readonly access: Access<Name>;
  readonly filters: Filters;
  readonly secrets: KindSecrets;
  readonly trail: TrailDeclaration;
  readonly birth: KindBirth;
}

/** What the kind is called, and where it is served. */
export interface KindIdentity {
  readonly name: string;
  /** What a record of the kind is, as the OpenAPI description says it; one sentence. */
  readonly about: string;
  /** As `409` names it: `Signer Factor` in "Signer Factor with handle x already exists." */
  readonly title: string;
  /** As `404` names it: `Signerfactor` in "Signerfactor not found". */
  readonly missing: string;
  /** As `404` names one of its changes; `Change not found` unless given (interface/signers#factors). */
  readonly missingChange?: string;
  /** The three letters of its luids. */
  readonly prefix: string;
  /** Last segment of the collection's path: `wallets`, `factors`. */
  readonly path: string;
  /**
   * Path of the single record, for a kind of which each ledger has exactly one; its collection is outside of ledgers.
   */
  readonly only?: Only;
}

/** The paths of the one record of a kind. */
export interface Only {
  readonly path: string;
  /** Where clients of the SDK 2.2 read and update it (interface/ledgers#the-record-of-a-ledger). */
  readonly older: string;
}

/** `KindData` as the file of a kind declares it: members that depend on the names of other kinds are functions of them. */
export type DataDeclaration = Omit<KindData, 'shape' | 'alternatives' | 'check'> & {
  readonly shape: TObject | ((names: RecordNames) => TObject);
  readonly alternatives?: readonly TObject[] | ((names: RecordNames) => readonly TObject[]);
  check?(
    data: JsonObject,
    previous: JsonObject | undefined,
    config: JsonObject | undefined,
    names: RecordNames,
    task: Pick<Task, 'turn'>,
  ): void | Promise<void>;
};

/** The shape of `data`, how it is served, and what its hash covers. */
export interface KindData {
  /** Members of `data` on create, except `parent`; others are refused. */
  readonly shape: TObject;
  /**
   * What `data` must match beyond its members, where one closed object cannot express it (alternatives by
   * `data.schema`). When given, it replaces `shape` as the request schema of a create; `parent` is added to each branch
   * for updates.
   */
  readonly alternatives?: readonly TObject[];
  /** Parts of `shape` that the OpenAPI description has under names of their own. */
  readonly parts?: Readonly<Record<string, TSchema>>;
  /** The served order of top-level members, after `parent` (interface/envelope#member-order). Others follow as sent. */
  readonly order: readonly string[];
  /** Whether users' schemas apply, and whether `data.schema` is always required (interface/schemas#enforcement). */
  readonly schemas: 'applied' | 'required' | 'none';
  /** Detail when `data.schema` names an unknown schema; the default is the wording of interface/schemas#enforcement. */
  missingSchema?(handle: string): string;
  /**
   * Members that the ledger adds: a create must omit them, an update may send them back unchanged, which `check`
   * verifies.
   */
  readonly added?: TProperties;
  /** `data` as stored and served, where the ledger adds to what the client signed (interface/domains#fields). */
  served?(data: JsonObject, domain: string | undefined): JsonObject;
  /**
   * The forms of data that the hash may cover, given `data` as served; `data` alone unless given. Used by
   * `collectHashedForms`.
   */
  hashed?(served: JsonObject, domain: string | undefined): readonly JsonObject[];
  /**
   * A new record's data completed by the ledger, and the values of secrets it makes; undefined when the client has
   * supplied everything. Completed data has another hash than the client signed: its proofs are dropped, and the record
   * has no owner (interface/signers#client-credentials).
   */
  generated?(data: JsonObject, random: (bytes: number) => Uint8Array): GeneratedData | undefined;
  /**
   * Checks beyond the shape, on create and update. Throws `LedgerError`. `previous` is absent on create; `config` is
   * that of the ledger, where it has one. Heavy work is done in turns of `task`.
   */
  check?(data: JsonObject, previous?: JsonObject, config?: JsonObject, task?: Pick<Task, 'turn'>): void | Promise<void>;
  /** Members of `data` that make it another record: an update that changes one is judged as a create as well. */
  readonly essence?: readonly string[];
}

/** What deliveries belong to: an effect, by its luid, and the bridge that they lead to, by its handle. */
export type DeliveryOwner = 'effect' | 'bridge';

/**
 * When a record may be erased: once it is dropped; or in force, in one of these statuses, which are final. The key of one
 * that was erased in force stays taken.
 */
export type Erasable = 'dropped' | { readonly whenFinal: readonly string[] };

/** The operations, the statuses a record goes through, and the effect of a proof on them. */
export interface Lifecycle<Name extends string = string> {
  /** Names of operations in `operations/operations.ts`: `OperationName`s and the kind's own. A test resolves them. */
  readonly operations: readonly string[];
  /** When what its records say may be forgotten for good (interface/records#erase); never unless given. */
  readonly erasable?: Erasable;
  /** Signals its operations raise; names only. */
  readonly signals: readonly string[];
  /** The signals that effects subscribe to, in the order errors list them; `signals` in alphabetical order unless given. */
  readonly subscribable?: readonly string[];
  /** How deliveries name records of this kind, which then lists and retries them (interface/effects#deliveries). */
  readonly deliveries?: DeliveryOwner;
  /** Status of a new record; `created` unless given (intents: `pending`). */
  readonly initialStatus?: string;
  /** The statuses a proof may ask for, when they are limited; others are `record.schema-invalid`. */
  readonly statuses?: readonly string[];
  /**
   * The effect of a proof asking for `to` on a record in status `from`. When absent, every status is taken. `repeat`
   * answers the record unchanged and skips the write (interface/reports#statuses).
   */
  transition?(from: string, to: string): 'moves' | 'repeat' | 'refused';
  /** Whether status policies must have a value for `created` when a record is made (interface/policies#status-policies). */
  readonly createdByPolicy?: boolean;
  /**
   * Proofs leave the status as it is; only processing by the ledger changes it (intents, interface/intents#processing).
   */
  readonly fixedStatus?: boolean;
  /** Whether the ledger itself carries new records on, from status to status (interface/intents#processing). */
  readonly isProcessed?: boolean;
  /** `meta.moment` stays that of the creation (interface/envelope#meta). */
  readonly fixedMoment?: boolean;
  /**
   * Members of `meta` that a proof sets, given its `custom` and the status before and after (report assets,
   * interface/reports#assets). Throws `LedgerError` for a proof whose custom data is malformed.
   */
  proved?(custom: JsonObject, status: Record<'from' | 'to', string | undefined>, of?: ProvedRecord): Partial<Meta>;
  /** Whether `meta.assets` of its records names files that are served (interface/reports#assets). */
  readonly assets?: true;
  /** Members of `meta` of a new record that other kinds do not have. */
  meta?(data: JsonObject, tools: MetaTools<Name>): Promise<Partial<Meta>>;
  /** The members of `meta` that `meta` and `proved` set, as OpenAPI describes them. */
  readonly metaShape?: TObject;
  /** Other last segments of the path under which proofs are added, for older clients: `/sign`. */
  readonly proofAliases?: readonly string[];
}

/** The record that a proof is added to, for what it may say. */
export interface ProvedRecord {
  /** Handle of its ledger. */
  readonly ledger: string;
  readonly record: Pick<RecordEnvelope, 'data' | 'luid' | 'meta'>;
  /** The bucket that generated files are in, where the operator names one. */
  readonly bucket?: string;
}

/** How records of the kind are found, and which others they lie under, name or are named by. */
export interface Links<Name extends string = string> {
  /** The kind whose records these lie under. */
  readonly under?: PathRecord<Name>;
  /** Whether its records are always in the domain of the record they lie under, whatever proofs and handles say. */
  readonly inParentsDomain?: boolean;
  /** The linked record whose id ends the path, for a kind that has no handle. */
  readonly to?: PathRecord<Name>;
  /** The key that is unique within the kind; `data.handle` unless given. */
  key?(data: JsonObject): string;
  /** The one other value records of this kind are looked up by: a signer's key, the wallet of an anchor. */
  value?(data: JsonObject): string | undefined;
  /**
   * Whether `value` is a key that its record signs with: found when a proof is checked, and registered when it is
   * stored (sql/store_batch_1.sql).
   */
  readonly isKey?: boolean;
  /** The records `data` names that must exist, in the order in which they are checked. */
  relations?(data: JsonObject): readonly Relation<Name>[];
  /** The records that keep this one from being dropped. */
  readonly dependants?: readonly Dependants<Name>[];
  /** The parts of the ledger's state that name bridges: they keep one that they use from being dropped. */
  readonly users?: readonly Users[];
  /** Balances and intents under way that keep this one from being dropped. */
  readonly holds?: DropRefusal;
  /** The same for changing a member. */
  readonly fixes?: FixedMember;
  /** False where other records and rules refer to the record by its handle: an update must keep it. */
  readonly renamable?: boolean;
}

/** How the kind takes part in decisions on access. */
export interface Access<Name extends string = string> {
  /** Whether a write of this kind can change what a cached ledger state decides (rules, members, schemas). */
  readonly bumpsRules: 'never' | 'always' | 'unless-created';
  /** The part of the cached ledger state that the records of this kind form. */
  readonly part?: 'ledger' | 'policies' | 'domains' | 'schemas' | 'effects';
  /** Handles of the ledger's own records, which clients cannot change (interface/signers). */
  readonly reserved?: readonly string[];
  /**
   * Whether rights in one domain suffice to take a plain handle, one that names no domain. For kinds that rules and
   * deciding records never name by handle (docs/interface/domains.md).
   */
  readonly freeNames?: boolean;
  /**
   * Operations that are judged by the rules about the record it lies under, and the action those must grant
   * (interface/circles#members).
   */
  readonly rightsOnParent?: { readonly create: string; readonly drop: string; readonly read: string };
  /**
   * Whether adding a proof needs a right of its own, on `<kind>-proof`, granted by rules of the ledger or of policies.
   * When unset, the right to update the record is enough (interface/access#levels).
   */
  readonly ownProofs?: boolean;
  /** Whether processing policies hand operations on records of this kind over to bridges (interface/forwarding). */
  readonly forwards?: boolean;
  /**
   * Conditions that values of access policies may ask of records of this kind, by name
   * (interface/policies#access-policies).
   */
  readonly conditions?: Readonly<Record<string, DeclaredCondition<Name>>>;
}

/** A condition: the caller may do `action` on every record, or on any, that the addresses in `data` lead to. */
export interface DeclaredCondition<Name extends string = string> {
  readonly quantifier: 'every' | 'any';
  readonly action: string;
  /** The kind of record the addresses lead to. */
  readonly kind: Name;
  /** `before` is the data as it is stored: that which an update replaces, or `data` itself; absent for a new record. */
  addresses(data: JsonObject, before: JsonObject | undefined): readonly string[];
  /** Whether the addresses of all records of the same thread count. */
  readonly inThread?: boolean;
}

/** What lists and access values can filter the kind by. */
export interface Filters {
  /**
   * Members of `data`, beside handle, schema and custom (interface/lists#filters). A nested one is a dotted path that
   * omits array indexes: `claims.amount` allows `data.claims.0.amount` too.
   */
  readonly data?: readonly string[];
  /** Members of `meta`: `more` are filterable beside status, labels, domain and moment; `less` of these are not. */
  readonly meta?: { readonly more?: readonly string[]; readonly less?: readonly string[] };
  /**
   * Further keys of filters in access values, as a pattern, beside those of every kind
   * (interface/policies#access-policies).
   */
  readonly access?: { readonly data?: string; readonly meta?: string };
}

/** Keys of filters in access values, as patterns. */
export type Filterable = NonNullable<Filters['access']>;

/** The enumerations of the interface that name kinds of record, each in the order in which errors list it. */
export interface RecordNames {
  /** Subjects of access rules (interface/access#record-names). */
  readonly records: readonly string[];
  /** Signals that effects subscribe to (interface/effects#signals). */
  readonly signals: readonly string[];
  /** Kinds that users' schemas apply to (interface/schemas#fields). */
  readonly schemas: readonly string[];
  /** Kinds that processing policies hand over to bridges (interface/forwarding). */
  readonly forwarded: readonly string[];
  /** Further keys of filters in access values, as patterns, by kind (interface/policies#access-policies). */
  readonly filterable: ReadonlyMap<string, Filterable>;
}

/** A private key in a secret. */
export interface SecretKey {
  /** Name of the secret. */
  readonly secret: string;
  /** What the refusal of the key, or of its certificate, begins with. */
  readonly subject: string;
  /** PEM of the certificates that it is shown with; absent for a key that signs RS256 tokens. */
  readonly certificates?: string;
}

/** Values that travel in `meta.secret` and are stored apart from the record (interface/signers#secrets). */
export interface KindSecrets {
  /** Names of the secret references in `data`. */
  names?(data: JsonObject): readonly string[];
  /** The private keys among them that the ledger signs with. They are judged before they are stored. */
  keys?(data: JsonObject): readonly SecretKey[];
  /** The rule subject on which `reveal` shows the secrets; absent when they are never served. */
  readonly reveals?: string;
}

/** How the proofs and the history of a kind are served, where that differs from other kinds. */
export interface TrailDeclaration {
  /** Proofs the server adds on create, in order; `luid` marks the one that carries the luid. */
  readonly created?: readonly { readonly status: string; readonly luid: boolean }[];
  /** HTTP status of a create; 201 unless given. */
  readonly answer?: number;
  /** Whether client proofs are served with `origin`. */
  readonly origin?: boolean;
  /** Whether `meta.labels` appears in change snapshots. */
  readonly labels?: boolean;
}

/** Records of other kinds that a new ledger gets because of this one (interface/ledgers#create-a-ledger). */
export interface KindBirth {
  /** The data of policies. */
  readonly policies?: readonly JsonObject[];
  /** Users' schemas for records of this kind. Their presence makes records of the kind need a schema. */
  readonly schemas?: readonly BirthSchema[];
}

export interface BirthSchema {
  readonly handle: string;
  /** The JSON schema. */
  readonly schema: JsonObject;
  readonly description: string;
}

/** A record that data names and that must exist when the write is stored. */
export interface Relation<Name extends string = string> {
  readonly kind: Name;
  readonly handle: string;
  /** The error detail when the record is missing. */
  readonly missing: string;
}

/**
 * A record that is part of another's path: the signer that a factor lies under, or the signer that ends the path of a
 * circle signer.
 */
export interface PathRecord<Name extends string = string> {
  readonly kind: Name;
  /** The member of `data` that names it, and that must agree with the path. */
  readonly member: string;
}

/** The records that keep another from being dropped. */
export interface Dependants<Name extends string = string> {
  readonly kind: Name;
  /** The member of the dependant's data that names the record to drop. */
  readonly member: string;
  /** The refusal, given the handle to be dropped and the handles of (up to 100 of) its dependants, oldest first. */
  refusal(handle: string, dependants: readonly string[]): { detail: string; custom?: JsonObject };
}

/** Effects or processing policies that keep a bridge from being dropped. */
export interface Users {
  readonly part: 'effects' | 'policies';
  /** The detail of the refusal, given the handle to be dropped. */
  refusal(handle: string): string;
}

/** Balances and intents that keep a record from being dropped. */
export interface DropRefusal {
  /** What it is to them. */
  readonly by: 'wallet' | 'symbol' | 'bridge';
  /** The refusal, given the handle to be dropped and the symbols that a wallet holds or is to hold. */
  refusal(handle: string, symbols: readonly string[]): { detail: string; custom?: JsonObject };
}

/** A member that an update must keep once money rests on it. */
export interface FixedMember {
  readonly member: string;
  readonly by: 'factor';
  /** The refusal, given the handle of the record. */
  refusal(handle: string): { readonly detail: string; readonly hint: string };
}

/** What the ledger generates for a new record. */
export interface GeneratedData {
  readonly data: JsonObject;
  /** By the names of their references in `data`. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Tools with which a kind makes its own members of `meta`. */
export interface MetaTools<Name extends string = string> {
  random(bytes: number): Uint8Array;
  /** The domain a record is in; undefined for a missing record, and outside every domain. */
  domainOf(kind: Name, handle: string): Promise<string | undefined>;
}
