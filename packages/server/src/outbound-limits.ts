/** The bounds of what the service calls: bridges, receivers of events and token endpoints, among those of the service (limits.ts). */
export const outboundLimits = {
  /**
   * Outbound calls. Milliseconds to `connect`, and for a call in `total`; `connections` of one ledger to one origin,
   * milliseconds that an `idle` one is kept, `origins` that one ledger has connections to, and `ledgers` with connections; `sockets` of
   * a process beyond which idle ones are closed; `calls` under way for one ledger, and for all of one process. `share` is the part of a request's time that the calls made for it may take together, so that the client
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
    ledgers: 1_000,
    sockets: 2_048,
    calls: { ledger: 64, process: 256 },
    share: 0.8,
    ignored: { bytes: 16 * 1024, milliseconds: 1_000 },
    answer: 2 * 1024 * 1024 + 64 * 1024,
    values: 100_000,
    levels: 2,
    proofs: 4_000,
  },
  /**
   * TLS handshakes with services: bytes that one may send until it is done, certificates included. Those that hold the event loop for
   * longer than `quick` milliseconds are followed by `rest` times as long, all together, without another one: of the ledger, and of
   * the ledger with that host, which may each take `burst` milliseconds ahead. So many ledgers and hosts are `remembered`. Handshakes
   * take `quick` milliseconds of one turn of the event loop, unless a single one takes longer.
   */
  handshakes: {
    bytes: 16 * 1024,
    quick: 10,
    burst: { ledger: 250, host: 100 },
    rest: { ledger: 10, host: 20 },
    remembered: 20_000,
  },
  /**
   * Names of hosts, in milliseconds unless said otherwise. A lookup ends `within` so much, and a name server is asked again after
   * `timeout`, `tries` times in all; where addresses of one family have come, the `other` gets so much more. Lookups under way
   * of the `process` and of one `ledger`, and how many of one may wait, and how long. An answer is kept for as long as it says,
   * within bounds, and a failure for `failed`. Of each family so many `addresses` are taken; so many names are `kept`, and so many
   * addresses of all of them together.
   */
  names: {
    within: 2_000,
    timeout: 900,
    tries: 2,
    other: 200,
    lookup: { process: 256, ledger: 8, waiting: 256, patience: 2_000 },
    life: { least: 1_000, greatest: 30_000, failed: 5_000 },
    addresses: 32,
    kept: { names: 10_000, addresses: 40_000 },
  },
  /**
   * Deliveries of events. Attempts under way (`slots`), of all ledgers and of one; of one queue it begins with `width.first`
   * at a time, and grows to `width.greatest` while they succeed. Milliseconds of one attempt (`attempt`), of one `call`
   * of a bridge for an intent, of whose last refusal so many characters are `shown`; of one run of a queue (`run`), that a run
   * waits for more when its queue is empty (`linger`), and without a beginning or an end after which its attempts hang (`hangs`).
   * Each process looks for due queues at least as often as `every`: so much later is a change told whose hint was lost. Queues that one look considers, in all
   * (`listed`) and of one ledger (`queues`), and that one process runs: in all (`concurrency`), and of one ledger (`each`).
   *
   * After its first attempts (deliveries/retry-delays.ts) a delivery is set aside for `retryFor` milliseconds at most. Of a receiver one is taken up after the delay `first`, which doubles with
   * each failure up to `greatest`; twice as many as were delivered, up to `atOnce`. An effect whose last attempts failed, as many as
   * `rests`, has no others made. A statement looks at so many `receivers` of a ledger, and ends so many deliveries of each
   * (`piece`); one look lists so many `ledgers`.
   *
   * Characters of versions that are `kept`, and of a `short` one. Bytes that attempts of longer events hold at a time, and how long
   * one waits for them. Failures that one process logs.
   */
  deliveries: {
    slots: { process: 1_024, ledger: 256 },
    width: { first: 2, greatest: 32 },
    attempt: 15_000,
    call: 60_000,
    shown: 2_000,
    run: 30_000,
    linger: 250,
    hangs: 250,
    every: 250,
    listed: 2_000,
    queues: 1_000,
    concurrency: 1_024,
    each: 256,
    retryFor: 72 * 3_600_000,
    further: {
      first: 10_000,
      greatest: 3_600_000,
      rests: 100,
      atOnce: 1_000,
      piece: 500,
      receivers: 20,
      ledgers: 2_000,
    },
    kept: 4 * 1024 * 1024,
    short: 32 * 1024,
    long: { process: 128 * 1024 * 1024, ledger: 32 * 1024 * 1024, waiting: 1_000, patience: 10_000 },
    lines: { count: 60, window: 60_000 },
  },
  /**
   * Client certificates for calls to bridges: how many one process keeps connections for, how many that cannot be used it
   * remembers, and the origins that there are connections to with one.
   */
  certificates: { count: 200, refused: 1_000, origins: 8 },
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
   * on it: twice as many as fit into the longest `DELIVERY_RETRY_HOURS`.
   */
  retries: { waiting: 10, piece: 1_000, pieces: 20, attempts: 2_000 },
} as const;
