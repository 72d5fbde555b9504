import { logLimits } from './log-limits.js';

/**
 * The bounds of the service, each tested at its value and one beyond. Those that clients can meet are in
 * interface/limits; the others keep one request from holding up the rest.
 */
export const limits = {
  /** Bytes of a request body (interface/records#request-bodies). */
  body: 1024 * 1024,
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
  /** Proofs a record carries (interface/limits). */
  proofs: 100,
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
  /** Rules that the answer to an access check shows. */
  grants: 1_000,
  /** Characters of the data that access to a record is judged by; longer data is left out of its index entry. */
  judged: 8 * 1024,
  /**
   * Records examined for one page of a list that leaves some of them out; a page that would take more is refused
   * (interface/lists#pages).
   */
  scan: 50_000,
  /**
   * Prepared list statements that each connection to the database keeps: `count` of them; a statement is kept once it
   * was `seen` so often `among` so many others, and has at most `characters`.
   */
  plans: { count: 200, seen: 20, among: 1_000, characters: 2_048 },
  /**
   * Lists and histories that one process looks for. `atATime` of one ledger; `shapes` whose streaks are remembered. A
   * list that takes longer than `quick` milliseconds twice moves to the slow lane, which runs `slow` at a time and
   * leaves the others to quick lists. A ledger whose lists were given up for `waste` milliseconds goes to the slow lane
   * at once; that measure halves every `halfLife` milliseconds. `waiting` of one ledger at most, each for `patience`
   * milliseconds at most; `ledgers` whose use is remembered.
   */
  listed: {
    atATime: 2,
    shapes: 10_000,
    quick: 1_000,
    slow: 1,
    waste: 2_000,
    halfLife: 10_000,
    waiting: 1_000,
    patience: 10_000,
    ledgers: 10_000,
  },
  /** Elements of one `$in`. */
  filterElements: 256,
  /** Labels on a record, and characters of one label. */
  labels: 100,
  label: 255,
  /** Seconds an issued token may live: a year. */
  tokenLife: 365 * 24 * 3600,
  /** Characters of the verified tokens that one process remembers; a token counts for three times its length. */
  tokens: 8 * 1024 * 1024,
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
  /**
   * The work of requests, in steps of about a tenth of a microsecond (decision 0015): of one `slice`, after which
   * others have their turn; of one `request` in all; and of one `turn` of the event loop. A ledger bypasses the queue
   * while it is below `burst`, and regains the `share` of one processor; `accounts` of ledgers are kept.
   */
  work: {
    perMillisecond: 10_000,
    slice: 250_000,
    request: 20_000_000,
    turn: 100_000,
    burst: 200_000,
    share: 0.25,
    accounts: 10_000,
  },
  /** Milliseconds of silence after which a serving process is replaced. */
  standstill: 10_000,
  /** Bytes of a form sent to the token endpoint. */
  form: 16 * 1024,
  /**
   * Wrong client secrets at the token endpoint: how many make a client wait, milliseconds until they are forgotten, and
   * how many clients one process remembers them of.
   */
  failures: { attempts: 10, window: 60_000, remembered: 10_000 },
  /** Refused tokens that one process logs, in so many milliseconds. */
  refusals: { count: 60, window: 60_000 },
  /** Providers, of all ledgers, whose signing keys one process keeps, and factors of one searched for its key. */
  providers: 1_000,
  factors: 100,
  /** Milliseconds one validation against a user schema may take. */
  validation: 60,
  /**
   * Outbound calls. Milliseconds to `connect`, and for a call in `total`; `connections` to one origin, milliseconds
   * that an `idle` one is kept, and `origins` with connections; `calls` under way for one ledger, and for all of one
   * process. `share` is the part of a request's time that the calls made for it may take together, so that the client
   * still gets an answer. Of a body that nobody asked for (`ignored`), so many bytes are read, for so many milliseconds.
   *
   * Of an answer: its bytes and JSON values, with room for a record of the greatest body and its proofs; `levels` below which a
   * record stands in a list; and `proofs` on all records of a list, four each on the greatest page: verifying one takes about 50 µs.
   */
  outbound: {
    connect: 5_000,
    total: 15_000,
    connections: 32,
    idle: 4_000,
    origins: 1_000,
    calls: { ledger: 64, process: 256 },
    share: 0.8,
    ignored: { bytes: 16 * 1024, milliseconds: 1_000 },
    answer: 2 * 1024 * 1024 + 64 * 1024,
    values: 100_000,
    levels: 2,
    proofs: 4_000,
  },
  /**
   * Deliveries of events. Attempts under way (`slots`), of all ledgers and of one; of one queue it begins with `width.first`
   * at a time, and grows to `width.greatest` while they succeed. Milliseconds of one attempt (`attempt`), of one `call`
   * of a bridge for an intent, of whose last refusal so many characters are `shown`; of one run of a queue (`run`), and that a run waits for more when its queue is empty (`linger`). Queues that one look considers, in all
   * (`listed`) and of one ledger (`queues`), and that one process runs: in all (`lanes`), and of one ledger (`each`).
   *
   * `attempts` that are made of a delivery which is rejected, or whose receiver cannot be reached; the delay before the
   * second, and what each delay is multiplied by for the next. Characters of versions that are kept, and of one of them.
   * Bytes that attempts of longer events hold at a time, and how long one waits for them. Failures that one process logs.
   */
  deliveries: {
    slots: { process: 1_024, ledger: 256 },
    width: { first: 2, greatest: 32 },
    attempt: 15_000,
    call: 60_000,
    shown: 2_000,
    run: 30_000,
    linger: 250,
    every: 1_000,
    listed: 2_000,
    queues: 1_000,
    lanes: 1_024,
    each: 256,
    attempts: { rejected: 6, unreachable: 11 },
    retry: { first: 1_000, factor: 1.2, greatest: 3_600_000 },
    kept: 4 * 1024 * 1024,
    short: 32 * 1024,
    long: { process: 128 * 1024 * 1024, ledger: 32 * 1024 * 1024, waiting: 1_000, patience: 10_000 },
    lines: { count: 60, window: 60_000 },
  },
  /**
   * Client certificates for calls to bridges: characters of the certificates of one and of its private key as PEM, bits of
   * an RSA key (a longer one takes long to sign with); how many one process keeps connections for, and the origins that
   * there are connections to with one.
   */
  certificates: { chain: 16 * 1024, key: 4 * 1024, rsa: 4_096, count: 200, origins: 8 },
  /**
   * OAuth2 tokens that are fetched for calls to bridges. Milliseconds: `within` of which one must have come; `shortest` and
   * `longest` that one is kept, and the `margin` by which it is renewed before it expires. Bytes of an `answer`,
   * `characters` of a token, and of the tokens that one process keeps `together`.
   */
  accessTokens: {
    within: 10_000,
    shortest: 60_000,
    longest: 86_400_000,
    margin: 30_000,
    answer: 64 * 1024,
    characters: 8 * 1024,
    together: 4 * 1024 * 1024,
  },
  /**
   * Retries of deliveries. Requests that wait for one effect or bridge (`waiting`); deliveries that one statement looks at
   * (`piece`), and such `pieces` of one run; `attempts` after which a delivery is not sent again, since each leaves a proof
   * on it.
   */
  retries: { waiting: 10, piece: 1_000, pieces: 20, attempts: 500 },
  /** Writes gathered into one commit, and lookups gathered into one query. */
  batch: 256,
  /** Characters that the writes of one commit hold, since building the statement takes time; one alone may hold more. */
  commit: 2 * 1024 * 1024,
  /**
   * Concurrent queries for one sort of lookup (by handle, by luid): `together`, and `each` of one ledger. Fewer than the
   * connections, so that other work goes on.
   */
  lookups: { together: 4, each: 2 },
  /**
   * Connections to the database that one process has: for lists, for the leases of background work, for deliveries,
   * for hints, and for everything else. The embedded PostgreSQL has room for those of all processes, and as many as `spareConnections` for
   * operators and for the start.
   */
  connections: { lists: 3, leases: 2, deliveries: 2, hints: 1, others: 7 },
  spareConnections: 20,
  /**
   * Background work, in milliseconds unless said otherwise: how long a `lease` holds unless it is renewed, and how
   * often it is (`beat`); how long a look for due units may take (`query`), the shortest time from one look to the next
   * (`pause`), and the random part of the time to when a unit is free (`jitter`). `listed` due units are considered in
   * a look, rows `swept` by one statement.
   *
   * Failures are retried after `retry`, and a lost connection for hints after `reconnect`. Hints of one worker are sent
   * to other processes every `hint` milliseconds at most. A stop waits for running units (`drain`), then for aborted
   * ones to end (`grace`). `lines.count` failures are logged in `lines.window` milliseconds.
   */
  background: {
    lease: 30_000,
    beat: 10_000,
    query: 5_000,
    pause: 20,
    jitter: 250,
    listed: 10_000,
    swept: 10_000,
    retry: { first: 1_000, greatest: 300_000 },
    reconnect: { first: 500, greatest: 30_000 },
    hint: 100,
    drain: 5_000,
    grace: 1_000,
    lines: { count: 60, window: 60_000 },
  },
  ...logLimits,
  /**
   * Restarts of the embedded PostgreSQL: how often in so many milliseconds it may end unasked before it is given up,
   * and milliseconds before each restart.
   */
  restarts: { times: 5, within: 10 * 60_000, respite: 500 },
  /**
   * Bytes free on the disk of the embedded PostgreSQL: below `write`, writes are refused, so that reads go on; below
   * `start`, an end of PostgreSQL is left out of the count of `restarts`.
   */
  freeDisk: { write: 128 * 1024 * 1024, start: 32 * 1024 * 1024 },
  /** Milliseconds that finding a list may take; with an index most take less than one. */
  listing: 5_000,
  /** Commits under way at a time, each of another ledger; fewer than the connections, so that reads go on. */
  commits: 4,
  /**
   * Concurrent transactions that store one write alone, as of a record with secrets: `lanes`, and `each` of one ledger;
   * `births` that make a ledger. They share the connections with commits and lookups.
   */
  transactions: { lanes: 2, each: 1, births: 1 },
  /** Writes that may wait for a commit; further ones are refused. */
  queue: 10_000,
  /**
   * Intents: stored in one `batch` at most, decided on so many `together` before what is stored is looked at; batches under
   * way (`lanes`), each of another ledger; those of one ledger that may wait for it (`queue`), and how often one is to be
   * stored with others before its request begins anew (`tries`); milliseconds for which one under way that cannot be
   * processed is `postponed`; wallets and symbols that are `known` of one ledger, its `balances`, and the latest `handles` taken;
   * `ledgers` that one process decides for; milliseconds that a process stays the `home` of a ledger after its last
   * decision, and the `margin` in which it asks again; characters of a `report` that is taken although the record is full.
   */
  intents: {
    batch: 32,
    together: 16,
    lanes: 3,
    queue: 10_000,
    tries: 10,
    postponed: 60_000,
    known: 10_000,
    balances: 50_000,
    handles: 1_000,
    ledgers: 1_000,
    home: 3_000,
    margin: 1_000,
    report: 4_096,
  },
  /**
   * Processes of one machine that speak to one another: bytes of one `frame`, and bytes that may wait to be sent to one of
   * them (`unsent`); milliseconds of `silence` after which one that owes answers counts as gone, and of `respite` before one
   * that was not there is tried again; how many of these are `known`. Bytes of what was handed to a process that may wait
   * there (`held`).
   */
  siblings: {
    frame: 8 * 1024 * 1024,
    unsent: 64 * 1024 * 1024,
    held: { all: 32 * 1024 * 1024, ledger: 8 * 1024 * 1024 },
    silence: 4_000,
    respite: 1_000,
    known: 100,
  },
  /** Attempts at a write, which is prepared again whenever the state it was decided on has changed. */
  attempts: 200,
  /** Ledgers whose keys one process keeps in memory, and bytes that the states of ledgers take that it keeps together. */
  ledgers: { count: 1_000, together: 128 * 1024 * 1024 },
  /**
   * Loads of ledger states from the database: `lanes` at a time. A state of at most `small` bytes is read directly;
   * larger ones share `size` bytes. Of one ledger, `waiting` loads may wait, each for `patience` milliseconds at most.
   */
  loads: { lanes: 4, small: 128 * 1024, size: 8 * 1024 * 1024, waiting: 100, patience: 10_000 },
  /** Characters of the records that the state of one ledger is made of: its own, its policies, domains, schemas and effects. */
  state: 8 * 1024 * 1024,
  /** Of these, the part that records in a domain may fill: the rest is reserved for the ledger's own. */
  stateForDomains: 4 * 1024 * 1024,
  /** Bytes that the signers, by key, take that one process remembers, and the number of memberships of circles. */
  signers: 32 * 1024 * 1024,
  memberships: 10_000,
  /** Characters of versions of records that one process keeps to look them up again. */
  known: 8 * 1024 * 1024,
  /** Characters of versions, as they are served and in canonical form, that one process keeps to list them again. */
  items: 3 * 1024 * 1024,
  /** Signatures: of one request verified `ahead`; in a message (`most`), of `batch` requests; requests that wait, in all and `perLedger`. */
  signatures: { ahead: 4, most: 128, batch: 64, queue: 1_000, lanes: 1, perLedger: 64 },
  /** Compiled user schemas one process keeps. */
  compiled: 500,
} as const;
