import type { Reason } from './errors.js';
import type { JsonObject } from './json.js';

/** A signature over a hash, as clients send it (interface/envelope#hash-and-digest). */
export type Proof = {
  /** `ed25519-v2`. */
  method: string;
  /** Base64 of the raw 32-byte public key. */
  public: string;
  /** Hex of sha256 over the hash and the canonical custom. */
  digest: string;
  /** Base64 of the 64-byte signature over the digest's bytes. */
  result: string;
  custom?: JsonObject;
};

/** How a proof came about; outside the signature (interface/proofs#proofs-as-served). */
export type ProofOrigin = 'key-pair' | 'self-signed-token' | 'oauth2-token';

/** A proof as served (interface/proofs#proofs-as-served). */
export type StoredProof = Proof & {
  origin?: ProofOrigin;
  /** Handle of the signer record that owned the key when the proof was stored. */
  signer?: string;
  /** Who issued the token, on impersonation proofs. */
  issuer?: string;
};

/** `meta` of a served record (interface/envelope#meta). Missing members are absent rather than null. */
export type Meta = {
  proofs: StoredProof[];
  status?: string;
  moment: string;
  owners: string[];
  labels?: string[];
  domain?: string;
  /** Intents only. */
  routed?: true;
  /** Intents only. */
  thread?: string;
  /** Intents only. */
  domains?: string[];
  /** Reports only. */
  assets?: { handle: string; output: string }[];
};

/** What a change did to the record (interface/records#history). */
export type ChangeAction = 'create' | 'update' | 'drop' | 'erase';

/** `meta` of a change snapshot: missing labels are null (interface/envelope#meta, interface/records#history). */
export type ChangeMeta = Omit<Meta, 'labels'> & {
  change: number;
  action: ChangeAction;
  labels?: string[] | null;
};

/** A record as served (interface/envelope#record). */
export type RecordEnvelope<Data extends JsonObject = JsonObject> = {
  hash: string;
  data: Data;
  luid: string;
  meta: Meta;
};

/** One version of a record (interface/records#history). */
export type Change<Data extends JsonObject = JsonObject> = {
  hash: string;
  luid: string;
  meta: ChangeMeta;
  data: Data;
};

/** Which part of a list is served; `total` on lists of changes and balances only (interface/lists#pages). */
export type Page = {
  index: number;
  limit: number;
  total?: number;
};

/**
 * `meta` of what is signed for one answer: lists, errors, items of an access check (interface/lists, interface/errors).
 */
export type AnswerMeta = {
  proofs: StoredProof[];
  moment: string;
};

/** A list (interface/lists). `hash` is over `data` alone. `page` is absent for access checks and lookups. */
export type List<Item extends JsonObject = RecordEnvelope> = {
  hash: string;
  meta: AnswerMeta;
  data: Item[];
  page?: Page;
};

/** An error answer (interface/errors). `proofs` is empty until a ledger is resolved. */
export type ErrorBody = {
  hash: string;
  data: { reason: Reason; detail: string; custom?: JsonObject };
  meta: AnswerMeta;
};

/** One entry of `custom.errors` of `record.schema-invalid` (interface/errors#schema-errors). */
export type SchemaError = {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: JsonObject;
  message: string;
  /** On errors of request bodies only. */
  path?: string;
  /** On errors of request bodies only. */
  errorCode?: string;
};

/** One name, or a set of names (interface/access#rules). */
export type NameMatcher = string | { $in: string[] } | { $nin: string[] };

/** A rule that grants (interface/access#rules). */
export type GrantingRule = {
  action: NameMatcher;
  record?: NameMatcher;
  signer?: JsonObject;
  bearer?: JsonObject;
};

/** A rule that stands for the values of access policies (interface/policies#access-policies). */
export type PolicyRule = { policy: string | { $in: string[] } };

/** One entry of `data.access`, or of `values` of an access policy (interface/access#rules). */
export type AccessRule = GrantingRule | PolicyRule;

/** One item of an access check (interface/access#access-check). */
export type GrantedRule = {
  hash: string;
  data: AccessRule;
  meta: AnswerMeta;
};

/** The body of a create (interface/records#create). */
export type CreateBody<Data extends JsonObject = JsonObject> = {
  hash: string;
  data: Data;
  meta: { proofs: Proof[]; secret?: JsonObject };
};

/** The body of an update: `data` is complete and names the version it replaces (interface/records#update). */
export type UpdateBody<Data extends JsonObject = JsonObject> = {
  hash: string;
  luid?: string;
  data: Data & { parent: string };
  meta: { proofs: Proof[]; secret?: JsonObject };
};

/** The body of a drop (interface/records#drop). */
export type DropBody = {
  luid: string;
  hash: string;
  data: { parent: string };
  meta: { proofs: Proof[] };
};

/** The body of an access check (interface/access#access-check). */
export type CheckBody = CreateBody<{ action: string; record?: string }>;

/** `GET {base_url}`: hashed, unsigned (interface/ledgers#server-information). */
export type ServerInformation = {
  hash: string;
  data: { handle: string; server: string; semver: string; status: string; build?: string };
  meta: { moment: string };
};
