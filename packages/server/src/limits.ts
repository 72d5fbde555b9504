import { logLimits } from './log-limits.js';
import { outboundLimits } from './outbound-limits.js';
import { processLimits } from './process-limits.js';

/**
 * The bounds of the service, each tested at its value and one beyond. Those that clients can meet are in
 * interface/limits; the others keep one request from holding up the rest. Those of a request and of a record stand here.
 */
export const limits = {
  /** Bytes of a request body (interface/records#request-bodies). */
  body: 1024 * 1024,
  /**
   * Bytes of request bodies under way: up to `small`, one is read at once; the larger ones share those of a `process`. Until the
   * caller is known to be allowed they count for their `sender`, then for the `ledger`. Of one sender, `waiting` bodies for one
   * ledger may wait, and so many for all `together`, each for `patience` milliseconds at most.
   */
  bodies: {
    small: 16 * 1024,
    process: 64 * 1024 * 1024,
    sender: 16 * 1024 * 1024,
    ledger: 16 * 1024 * 1024,
    waiting: 128,
    together: 1_024,
    patience: 5_000,
  },
  /** A body that is refused early is read on after the answer: bytes, milliseconds (`time`), and connections at a time. */
  refusedBody: { bytes: 16 * 1024 * 1024, time: 5_000, connections: 256 },
  /** Milliseconds in which a request must arrive, its body included (interface/limits). */
  request: 30_000,
  /**
   * Client connections: `count` of one process; `pipelined` requests that may wait on one; milliseconds in which a client must have
   * `taken` the answers that wait for it; and milliseconds without a request after which it is told to open another (`idle`). The
   * server keeps idle ones longer than that, so that a client that follows the hint always meets an open one.
   */
  clients: { count: 4_096, pipelined: 100, taken: 60_000, idle: 5_000 },
  /** Nesting of arrays and objects in a request body. */
  depth: 64,
  /** JSON values (members, elements) in a request body. */
  values: 50_000,
  /** Characters of a handle. */
  handle: 255,
  /** Proofs a record carries, unless `RECORD_PROOFS` says otherwise (interface/limits). */
  proofs: 100,
  /** Minutes that `custom.moment` of a client's proof may lie ahead of the server's clock. */
  momentAhead: 5,
  /** Access rules on one record or policy. */
  rules: 1_000,
  /** Policy values that the cache by right holds: `times` the number of values of the ledger, plus `more`. */
  about: { times: 4, more: 2_000 },
  /** Default and greatest `page.limit`; a greater one is served as the greatest (interface/lists#pages). */
  page: { default: 20, greatest: 1_000 },
  /** Claims of an intent, routes of a wallet. */
  claims: 100,
  routes: 100,
  /** Routes that one side of a claim may follow (interface/wallets#routes). */
  hops: 3,
  /** Intents of one thread (interface/intents#fields). */
  thread: 10,
  /**
   * Effects of a ledger: every write is compared with those that subscribe to its signals. Those in domains fill a part of
   * the room only.
   */
  effects: { count: 1_000, inDomains: 500 },
  /** Security rules and traits of a bridge. */
  secure: 32,
  traits: 32,
  /** Signers of a quorum, and policies one policy extends. */
  quorum: 100,
  extended: 100,
  /**
   * Generated files of reports: how many are sent at a time, of one ledger and of one process, milliseconds that one may
   * take, and characters of an asset's `output` in a bucket.
   */
  assets: { each: 16, all: 64, sent: 30 * 60_000, output: 2_048 },
  /**
   * Schedules: how many policies of a ledger, and how many there may be before those in a domain are no more; cron
   * expressions of one, and characters of an expression.
   */
  schedules: { policies: 100, inDomains: 50, values: 10, cron: 256 },
  /** Characters of a URL, and of a signer factor's public key (an RSA key of 16384 bits has 2784). */
  url: 2_048,
  publicKey: 4_096,
  /** Filters in one query. */
  filters: 32,
  /** Characters of one filter's key or value. */
  filter: 1_024,
  /** Path segments of a filter. */
  filterDepth: 16,
  /**
   * Characters of the paths and values that lists filter one record by. Paths repeat the names of members, so a body
   * within its bounds could otherwise take a hundred times its size to store.
   */
  document: 4 * 1024 * 1024,
  /** Bytes of a record as it is stored, with all its proofs. A drop ends the record, and may be longer. */
  record: 4 * 1024 * 1024,
  /**
   * Bytes of records that answers are made of: of one `page`; fetched `atOnce`, bypassing the semaphore; and of the
   * answers under way of one `ledger` and of one `process`. Of one ledger, `waiting` answers may wait, each for
   * `patience` milliseconds at most.
   */
  answers: {
    page: 8 * 1024 * 1024,
    atOnce: 1024 * 1024,
    ledger: 8 * 1024 * 1024,
    process: 24 * 1024 * 1024,
    waiting: 100,
    patience: 10_000,
  },
  /** Rules that the answer to an access check shows, and signers of a check of a read, each judged as one that reads. */
  grants: 1_000,
  readers: 4,
  /** Characters of the data that access to a record is judged by; longer data is left out of its index entry. */
  judged: 8 * 1024,
  /**
   * Records examined for one page of a list that leaves some of them out; a page that would take more is refused
   * (interface/lists#pages).
   */
  scan: 50_000,
  /** Elements of one `$in`. */
  filterElements: 256,
  /** Labels on a record, and characters of one label. */
  labels: 100,
  label: 255,
  /** Audiences that a ledger takes. */
  audiences: 32,
  /** Bytes of a bearer token (8 KiB). */
  token: 8 * 1024,
  /**
   * A user schema (interface/schemas). Together these bound the time to compile one, the memory it keeps, and the cost
   * of judging one record.
   */
  schema: {
    /** As canonical JSON. */
    bytes: 64 * 1024,
    /** Nesting of arrays and objects. */
    depth: 32,
    /** Subschemas and names in `dependencies`, counting those that references repeat in the compiled code. */
    subschemas: 300,
    /** Keywords of all subschemas, counted likewise: compiling one takes about 40 µs and holds the event loop. */
    keywords: 600,
    /** Characters of the compiled code: every keyword writes out the names on the way to it. */
    code: 2 * 1024 * 1024,
    /**
     * Characters of one pattern, instructions it compiles to, those of all patterns of a schema, their number, and the
     * Unicode properties that they name: compiling one takes up to a fifth of a millisecond.
     */
    pattern: { characters: 1_024, instructions: 2_000, together: 10_000, count: 100, properties: 500 },
    /** Units of work per millisecond of `limits.validation`; one unit is about a step of compiled code. */
    unitsPerMillisecond: 10_000,
    /** Errors gathered while judging, those of abandoned alternatives included. */
    gathered: 2_000,
    /** Errors answered, and the characters they may hold together as JSON. */
    answered: { errors: 100, characters: 64 * 1024 },
    /** Characters of a text in an answered error; longer ones are cut. */
    text: 1_024,
    /** Characters of a member name that a schema judges by pattern or as an additional property. */
    name: 1_024,
    /** The weight (about a kilobyte each) of all compiled user schemas that are kept. */
    compiledWeight: 50_000,
  },
  /** Bytes of a form sent to the token endpoint. */
  form: 16 * 1024,
  /**
   * Wrong client secrets at the token endpoint: how many make a client wait, milliseconds until they are forgotten, and
   * how many clients one process remembers them of; and how many of its attempts are noted in the database at a time.
   */
  failures: { attempts: 10, window: 60_000, remembered: 10_000, concurrency: 2 },
  /** Milliseconds one validation against a user schema may take. */
  validation: 60,
  /** Characters of the records that the state of one ledger is made of: its own, its policies, domains, schemas and effects. */
  state: 8 * 1024 * 1024,
  /** Of these, the part that records in a domain may fill: the rest is reserved for the ledger's own. */
  stateForDomains: 4 * 1024 * 1024,
  ...processLimits,
  ...outboundLimits,
  ...logLimits,
} as const;
