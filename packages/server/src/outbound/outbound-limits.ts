/** Outbound calls: to bridges, receivers of events, token endpoints and witnesses. */
export const outboundLimits = {
  /** Milliseconds to connect. */
  connect: 5_000,
  /** Milliseconds of a call in all. */
  total: 15_000,
  /** Connections of one ledger to one origin. */
  connections: 32,
  /** Milliseconds that an idle connection is kept. */
  idle: 4_000,
  /** Origins that one ledger has connections to. */
  origins: 1_000,
  /** Ledgers with connections. */
  ledgers: 1_000,
  /** Connections of a process beyond which idle ones are closed. */
  sockets: 2_048,
  /** Calls under way of one ledger, and of one process. */
  calls: { ledger: 64, process: 256 },
  /** Part of a request's time that the calls made for it may take together, so that the client still gets an answer. */
  share: 0.8,
  ignored: {
    /** Bytes that are read of a body that nobody asked for. */
    bytes: 16 * 1024,
    /** Milliseconds for which such a body is read. */
    milliseconds: 1_000,
  },
  /** Bytes of an answer, with room for a record of the greatest body and its proofs. */
  answer: 2 * 1024 * 1024 + 64 * 1024,
  /** JSON values of an answer, likewise. */
  values: 100_000,
  /** Levels of an answer below which a record stands in a list. */
  levels: 2,
  /** Proofs on all records of a list, four each on the greatest page: verifying one takes about 50 µs. */
  proofs: 4_000,
} as const;

/** TLS handshakes with services. */
export const handshakeLimits = {
  /** Bytes that a service may send until its handshake is done, certificates included. */
  bytes: 16 * 1024,
  /**
   * Milliseconds that a handshake may hold the event loop without being followed by a rest, and that handshakes take of one turn of
   * the event loop, unless a single one takes longer.
   */
  quick: 10,
  /** Milliseconds of longer handshakes that a ledger, and a ledger with one host, may take ahead of the rest. */
  burst: { ledger: 250, host: 100 },
  /** Times as long as such a handshake took that the ledger, and the ledger with that host, then has no other one. */
  rest: { ledger: 10, host: 20 },
  /** Milliseconds in which half of the slow handshakes are forgotten: each makes the rest after a later one longer by those times. */
  halfLife: 1_200_000,
  /** Ledgers and hosts that are remembered. */
  remembered: 20_000,
} as const;

/** Trials of hosts: handshakes in a thread of their own, before there is one on the event loop. */
export const trialLimits = {
  /** Handshakes of a trial: the quickest counts. */
  attempts: 3,
  /** Milliseconds that a host which was quick is called without another trial. */
  life: 3_600_000,
  /** Ledgers whose hosts are remembered, and hosts of each. */
  remembered: { ledgers: 1_000, hosts: 200 },
  /** Milliseconds after which a trial is put off, where the thread found no time for it. */
  putOff: 1_000,
  /** Milliseconds without a trial after which the thread ends. */
  idle: 60_000,
  /** Milliseconds after which a thread that has not answered is replaced: its handshakes end long before. */
  patience: 30_000,
  /** Megabytes of the thread's heap. */
  memory: { old: 64, young: 4 },
} as const;

/** Names of hosts. */
export const nameLimits = {
  /** Milliseconds in which a lookup ends. */
  within: 2_000,
  /** Milliseconds after which a name server is asked again. */
  timeout: 900,
  /** Questions to a name server in all. */
  tries: 2,
  /** Milliseconds that addresses of the other family have, where those of one have come. */
  other: 200,
  lookup: {
    /** Lookups under way of one process. */
    process: 256,
    /** Those of one ledger. */
    ledger: 8,
    /** Lookups of a ledger that may wait. */
    waiting: 256,
    /** Milliseconds that a lookup may wait. */
    patience: 2_000,
  },
  /** Milliseconds that an answer is kept, as it says within bounds, and that a failure is. */
  life: { least: 1_000, greatest: 30_000, failed: 5_000 },
  /** Addresses of each family that are taken. */
  addresses: 32,
  /** Names that are kept, and addresses of all of them together. */
  kept: { names: 10_000, addresses: 40_000 },
} as const;

/** Client certificates for calls to bridges. */
export const certificateLimits = {
  /** Certificates that one process keeps connections for. */
  count: 200,
  /** Certificates that cannot be used, which a process remembers. */
  refused: 1_000,
  /** Origins that there are connections to with one certificate. */
  origins: 8,
} as const;

/** OAuth2 tokens that are fetched for calls to bridges. */
export const accessTokenLimits = {
  /** Milliseconds within which one must have come. */
  within: 10_000,
  /** Milliseconds that one is kept, at least. */
  shortest: 60_000,
  /** Milliseconds that one is kept, at most. */
  longest: 86_400_000,
  /** Milliseconds before it expires that one is renewed. */
  margin: 30_000,
  /** Bytes of an answer. */
  answer: 64 * 1024,
  /** Characters of a token. */
  characters: 8 * 1024,
  /** Bytes of the tokens that one process keeps. */
  together: 4 * 1024 * 1024,
} as const;
