/**
 * Every bound of the service, in one place. Each is tested at its value and one beyond. The interface's own limits are
 * named (interface/limits); the others keep one request from holding up the rest.
 */
export const limits = {
  /** Bytes of a request body (interface/records#request-bodies). */
  body: 1024 * 1024,
  /** Milliseconds in which a request must have arrived, its body included (interface/limits). */
  request: 30_000,
  /**
   * Connections of clients: how many one process has; requests of one that wait for the one before them; milliseconds in
   * which a client takes all that waits for it, and without a request after which it is told to use another. Idle ones are
   * kept for longer than that, so that who reads the hint never meets a closed one.
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
  /**
   * Policy values that are remembered to be about a right that was asked for: so many times as there are values, and so
   * many more.
   */
  about: { times: 4, more: 2_000 },
  /** Default and greatest `page.limit`; a greater one is served as the greatest (interface/lists#pages). */
  page: { default: 20, greatest: 1_000 },
  /** Claims of an intent, routes of a wallet. */
  claims: 100,
  routes: 100,
  /** Intents of one thread (interface/intents#fields). */
  thread: 10,
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
  /**
   * Characters of the paths and values that lists filter one record by. Paths repeat the names of members, so without
   * this a body within its bounds would become a hundred times as much to store.
   */
  document: 4 * 1024 * 1024,
  /** Bytes of a record as it is stored, with all its proofs. Its drop, which ends it, may be longer. */
  record: 4 * 1024 * 1024,
  /**
   * Bytes of records that answers are made of: of one page; fetched at once, without waiting at the semaphore; and of the
   * answers under way of one ledger and of one process, with how many of one ledger may wait, and milliseconds one waits
   * at most.
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
  /** Characters of what access to a record is judged by, beyond which its index entry does not repeat it. */
  judged: 8 * 1024,
  /**
   * Records looked at for one page of a list that leaves some of them out; a page that would take more is refused
   * (interface/access#lists).
   */
  scan: 50_000,
  /**
   * Statements of lists that each connection to the database keeps planned: how many, how often one must have been seen
   * among how many others, and its characters.
   */
  plans: { count: 200, seen: 20, among: 1_000, characters: 2_048 },
  /**
   * Lists and histories that one process looks for. `atATime` of one ledger; `shapes` whose luck it remembers. One that is
   * not found within `quick` milliseconds, twice, is looked for longer, `slow` of these at a time, so that the others go
   * on. A ledger whose lists were given up for `waste` milliseconds is slow at once, until half of it is forgotten after
   * `halfLife` milliseconds. `waiting` of one ledger at most, none longer than `patience` milliseconds; `ledgers` whose
   * use is remembered.
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
  /** Characters of tokens whose signatures one process has verified and remembers, three for each of a token's. */
  tokens: 8 * 1024 * 1024,
  /** Bytes of a bearer token (8 KiB). */
  token: 8 * 1024,
  /**
   * A user schema (interface/schemas). Together these bound the time to compile one, the memory it keeps, and what judging
   * one record may cost.
   */
  schema: {
    /** As canonical JSON. */
    bytes: 64 * 1024,
    /** Nesting of arrays and objects. */
    depth: 32,
    /** Subschemas and names in `dependencies`, counting those that references repeat in the compiled code. */
    subschemas: 300,
    /** Keywords of all subschemas, counted likewise: compiling one takes about 40 µs, and nothing else runs meanwhile. */
    keywords: 600,
    /** Characters of one pattern, instructions it compiles to, those of all patterns of a schema, and their number. */
    pattern: { characters: 1_024, instructions: 2_000, together: 10_000, count: 100 },
    /** Units of work per millisecond of `limits.validation`; one unit is about a step of compiled code. */
    unitsPerMillisecond: 10_000,
    /** Errors gathered while judging, those of alternatives that are given up included. */
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
   * The work of requests, in steps of about a tenth of a microsecond (decision 0015): what a slice of it may take before
   * others have their turn, what one request may take in all, what is granted in one turn of the event loop. A ledger goes
   * straight through while it is below `burst`, of which it gets back the `share` of one processor; `accounts` of ledgers
   * are kept.
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
  /** Milliseconds without a sign of life after which a process that serves is replaced. */
  standstill: 10_000,
  /** Bytes of a form sent to the token endpoint. */
  form: 16 * 1024,
  /**
   * Wrong client secrets at the token endpoint: how many make a client wait, milliseconds until they are forgotten, and
   * how many clients one process remembers them of.
   */
  failures: { attempts: 10, window: 60_000, remembered: 10_000 },
  /** Refused tokens that one process tells of in its log, in so many milliseconds. */
  refusals: { count: 60, window: 60_000 },
  /** Providers whose signing keys one process keeps per ledger, and factors of one looked through for its key. */
  providers: 16,
  factors: 100,
  /** Milliseconds one validation against a user schema may take. */
  validation: 60,
  /**
   * Calls to services outside: milliseconds for a connection and for all of a call; connections to one origin, milliseconds
   * that an idle one is kept, and origins that there are connections to; calls under way for one ledger, and for all of
   * one process. `share` of the time that a request has is what the calls made for it may take together, so that the
   * client is told.
   *
   * Of an answer: its bytes and JSON values, and levels below which a record stands in a list; with room for a record that
   * was sent as large as a body may be, and comes back with proofs. And proofs on all records of a list: four each on the
   * greatest page, of which one takes about 50 µs to verify.
   */
  outbound: {
    connect: 5_000,
    total: 15_000,
    connections: 32,
    idle: 4_000,
    origins: 1_000,
    calls: { ledger: 64, process: 256 },
    share: 0.8,
    answer: 2 * 1024 * 1024 + 64 * 1024,
    values: 100_000,
    levels: 2,
    proofs: 4_000,
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
  /** Writes gathered into one commit, and lookups gathered into one query. */
  batch: 256,
  /** Characters that the writes of one commit hold together, unless it is one write: putting them together takes time. */
  commit: 2 * 1024 * 1024,
  /**
   * Queries for one sort of lookup (by handle, by luid) under way at a time, and of one ledger; each is of one ledger.
   * Fewer than there are connections, so that other things go on.
   */
  lookups: { together: 4, each: 2 },
  /**
   * Connections to the database that one process has: for lists, for the leases of background work, and for everything
   * else. One more listens for hints.
   */
  connections: { lists: 3, leases: 2, others: 7 },
  /**
   * Background work, in milliseconds where nothing else is said: how long a `lease` holds unless it is renewed, and how
   * often it is (`beat`); how long a look for due units may take (`query`), the shortest time from one look to the next
   * (`pause`), and the random part of the time to when a unit is free (`jitter`). `listed` due units are considered in a
   * look, rows `swept` by one statement.
   *
   * Failures are tried again after `retry`, and a lost connection for hints after `reconnect`. Hints of one worker are
   * sent to other processes every `hint` milliseconds at most. A stop waits for what runs (`drain`), then for what was
   * aborted to end (`grace`). Of failures, `lines.count` are logged in `lines.window` milliseconds.
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
  /**
   * Of our own PostgreSQL: how often in so many milliseconds it may end by itself before it is given up, and milliseconds
   * before it is started again.
   */
  restarts: { times: 5, within: 10 * 60_000, respite: 500 },
  /**
   * Bytes that must be free on the disk of our own PostgreSQL: for a write, so that reads go on when it is nearly full;
   * and for a failed start to count as one.
   */
  freeDisk: { write: 128 * 1024 * 1024, start: 32 * 1024 * 1024 },
  /** Milliseconds a list may take to be found; indexes find most in less than one. */
  listing: 5_000,
  /** Commits under way at a time, each of another ledger; fewer than there are connections, so that reads go on. */
  commits: 4,
  /**
   * Transactions of one write each, as of records with secrets: how many at a time, and of one ledger; and how many that
   * make a ledger. With commits and lookups they share the connections.
   */
  transactions: { lanes: 2, each: 1, births: 1 },
  /** Writes that may wait for a commit before new ones are turned away. */
  queue: 10_000,
  /** Times a write is prepared anew because what it was decided on changed meanwhile. */
  attempts: 200,
  /** Ledgers whose keys one process keeps in memory, and characters of the states of ledgers that it keeps together. */
  ledgers: { count: 1_000, together: 64 * 1024 * 1024 },
  /**
   * States of ledgers that one process reads from the database: how many at a time, bytes of one that needs no room, and
   * of those read in room; loads of one that wait at most, and milliseconds each waits.
   */
  loads: { lanes: 4, small: 128 * 1024, size: 8 * 1024 * 1024, waiting: 100, patience: 10_000 },
  /** Characters of the records that the state of one ledger is made of: its own, its policies, domains and schemas. */
  state: 8 * 1024 * 1024,
  /** Of these, how many may be taken before records in a domain take no more: the rest is for the ledger's own. */
  stateForDomains: 4 * 1024 * 1024,
  /** Signers, by key, that one process remembers per ledger. */
  signers: 10_000,
  /** Characters of versions of records that one process keeps to look them up again. */
  known: 8 * 1024 * 1024,
  /** Characters of versions, as they are served and in canonical form, that one process keeps to list them again. */
  items: 3 * 1024 * 1024,
  /** Compiled user schemas one process keeps. */
  compiled: 500,
} as const;
