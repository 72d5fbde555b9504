/**
 * Every bound of the service, in one place. Each is tested at its value and one beyond. The contract's own limits are
 * named (contract 06 §8); the others keep one request from holding up the rest.
 */
export const limits = {
  /** Bytes of a request body (contract 01 §12, Edges). */
  body: 1024 * 1024,
  /** Nesting of arrays and objects in a request body. */
  depth: 64,
  /** JSON values (members, elements) in a request body. */
  values: 50_000,
  /** Characters of a handle. */
  handle: 255,
  /** Proofs a record carries (contract 06 §8). */
  proofs: 100,
  /** Access rules on one record or policy. */
  rules: 1_000,
  /** Default and greatest `page.limit`; a greater one is served as the greatest (contract 01 §10). */
  page: { default: 20, greatest: 1_000 },
  /** Claims of an intent, routes of a wallet. */
  claims: 100,
  routes: 100,
  /** Security rules and traits of a bridge. */
  secure: 32,
  traits: 32,
  /** Signers of a quorum, and policies one policy extends. */
  quorum: 100,
  extended: 100,
  /** Characters of a URL, and of a signer factor's public key (an RSA key of 16384 bits has 2784). */
  url: 2_048,
  publicKey: 4_096,
  /** Filters in one query. */
  filters: 32,
  /** Characters of one filter's key or value. */
  filter: 1_024,
  /** Path segments of a filter. */
  filterDepth: 16,
  /** Elements of one `$in`. */
  filterElements: 256,
  /** Labels on a record, and characters of one label. */
  labels: 100,
  label: 255,
  /** Bytes of a bearer token (8 KiB). */
  token: 8 * 1024,
  /** Single-use tokens (`jti`) one process remembers, for one ledger and for all. */
  replays: { ledger: 100_000, total: 1_000_000 },
  /** A user schema: bytes as canonical JSON, nesting, and milliseconds to compile it. */
  schema: { bytes: 64 * 1024, depth: 32, compile: 500 },
  /** Milliseconds one validation against a user schema may take. */
  validation: 250,
  /** Writes gathered into one commit, and lookups gathered into one query. */
  batch: 256,
  /** Writes that may wait for a commit before new ones are turned away. */
  queue: 10_000,
  /** Times a write is prepared anew because what it was decided on changed meanwhile. */
  attempts: 200,
  /** Ledgers whose state one process keeps in memory. */
  ledgers: 1_000,
  /** Signers, by key, that one process remembers per ledger. */
  signers: 10_000,
  /** Compiled user schemas one process keeps. */
  compiled: 500,
} as const;
