/**
 * The bounds of what one process does at a time and keeps in memory, so that no ledger holds up the others, among those of the
 * service (limits.ts).
 */
export const processLimits = {
  /**
   * Moments (base/ledger-clock.ts): `ledgers` whose last one a process remembers; milliseconds by which clocks of machines may
   * differ: one that is further `behind` what is stored decides anew, and one that is further `ahead` of the database's refuses
   * writes; and milliseconds after which a commit has `asked` for the last moment of all records again, rather than of those of the
   * kinds that it stores: that takes fifteen times as long.
   */
  moments: { ledgers: 10_000, behind: 100, ahead: 300_000, asked: 1_000 },
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
  /** Characters of the verified tokens that one process remembers; a token counts for three times its length. */
  tokens: 8 * 1024 * 1024,
  /**
   * The work of requests, in steps of about a tenth of a microsecond (decision 0015): of one `slice`, after which
   * others have their turn; of one `request` in all; and of one `turn` of the event loop. A ledger bypasses the queue
   * while it is below `burst`, and regains the `share` of one processor; a slice that it need not wait for is `free` up to so
   * many; `accounts` of ledgers are kept. Senders are at most so
   * far `behind` the next of those that wait.
   */
  work: {
    perMillisecond: 10_000,
    slice: 250_000,
    request: 20_000_000,
    turn: 100_000,
    burst: 200_000,
    free: 20_000,
    share: 0.25,
    behind: 2_000_000,
    accounts: 10_000,
  },
  /**
   * Metrics: milliseconds for which what was collected answers all who ask (`fresh`), and that a process has to tell its own
   * (`told`); connections at a time; milliseconds in which a request must arrive.
   */
  metrics: { fresh: 1_000, told: 1_000, connections: 256, request: 5_000 },
  /**
   * What health is answered from: milliseconds between two looks at the database (`pause`), and in which one must end (`patience`).
   */
  readiness: { pause: 1_000, patience: 2_000 },
  /**
   * Quotas: ledgers `known`; milliseconds for which what one stores counts as known (`fresh`), while that is less than half of
   * its quota (`far`), or more (`near`), and the `part` of its room that this process may store meanwhile; how much more records
   * may take that the rules of the ledger are in (`rules`); bytes that a drop may add to a version where there is no room (`end`).
   */
  quota: { known: 10_000, fresh: { far: 10_000, near: 1_000, part: 1 / 16 }, rules: 1.1, end: 2 * 1024 },
  /** Milliseconds of silence after which a serving process is replaced. */
  standstill: 10_000,
  /** Refused tokens that one process logs, in so many milliseconds. */
  refusals: { count: 60, window: 60_000 },
  /**
   * Keys and certificates that clients write, before OpenSSL is given any: characters of a private key as PEM and of a public
   * one as base64; bits of an RSA modulus, of its public exponent, and by which a prime may be longer than half of the modulus;
   * `characters` of a chain of certificates as PEM, and how many they may be; values and levels in one of DER, and bytes of an object's identifier. `judged` private
   * keys are remembered.
   */
  untrustedKeys: {
    privateKey: 4 * 1024,
    publicKey: 2 * 1024,
    rsa: { least: 2_048, greatest: 4_096, exponentBits: 32, unequal: 32 },
    chain: { characters: 16 * 1024, count: 10 },
    der: { values: 1_000, depth: 16, identifier: 64 },
    judged: 1_000,
  },
  /**
   * Signatures of RS256 under way, each in one of the four threads that the process has for files, names and cryptography:
   * of all ledgers, and of one; how many of one may wait, and for how many milliseconds.
   */
  rsaSignatures: { process: 2, ledger: 1, waiting: 1_000, patience: 5_000 },
  /** Providers, of all ledgers, whose signing keys one process keeps, and factors of one searched for its key. */
  providers: 1_000,
  factors: 100,
  /** Writes gathered into one commit, and lookups gathered into one query. */
  batch: 256,
  /** Writes of one commit that go on in one turn of the event loop: they are answered, and others have their turn in between. */
  told: 16,
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
    hint: 25,
    drain: 5_000,
    grace: 1_000,
    lines: { count: 60, window: 60_000 },
  },
  /**
   * Restarts of the embedded PostgreSQL: how often in so many milliseconds it may end unasked before it is given up,
   * and milliseconds before each restart.
   */
  restarts: { times: 5, within: 10 * 60_000, respite: 500 },
  /**
   * Bytes free on the disk of the embedded PostgreSQL: below `write`, writes are refused, so that reads go on; below
   * `start`, an end of PostgreSQL is left out of the count of `restarts`. Below the part `create` of what the database has and
   * may take, creates are refused, so that changes and drops go on.
   */
  freeDisk: { write: 128 * 1024 * 1024, start: 32 * 1024 * 1024, create: 0.1 },
  /** Milliseconds that finding a list may take; with an index most take less than one. */
  listing: 5_000,
  /** Commits under way at a time, each of another ledger; fewer than the connections, so that reads go on. */
  commits: 4,
  /**
   * Concurrent transactions that store one write alone, as a drop of what others may name: `concurrency` in all, `each` of one
   * ledger; `births` that make a ledger. They share the connections with commits and lookups.
   */
  transactions: { concurrency: 2, each: 1, births: 1 },
  /** Writes that may wait for a commit; further ones are refused. */
  queue: 10_000,
  /**
   * Intents: stored in one `batch` at most, decided on so many `together` before what is stored is looked at; batches under
   * way (`concurrency`), each of another ledger; those of one ledger that may wait for it (`queue`), and how often one is to be
   * stored with others before its request begins anew (`tries`); milliseconds for which one under way that cannot be
   * processed is `postponed`; wallets and symbols that are `known` of one ledger, its `balances`, and the latest `handles` taken;
   * `ledgers` that one process decides for; milliseconds that a process stays the leader of a ledger after its last
   * decision (`lease`), and the `margin` in which it asks again; characters of a `report` that is taken although the record is full.
   */
  intents: {
    batch: 32,
    together: 16,
    concurrency: 3,
    queue: 10_000,
    tries: 10,
    postponed: 60_000,
    known: 10_000,
    balances: 50_000,
    handles: 1_000,
    ledgers: 1_000,
    lease: 3_000,
    margin: 1_000,
    report: 4_096,
  },
  /**
   * Processes of one machine that send requests to one another: milliseconds of `silence` after which one that owes answers counts
   * as gone, and of `respite` before one that was not there is tried again; how many of these are `known`. Bytes of the bodies
   * that a process was sent and has not answered (`held`): of one \`account\`, a sender until access is granted and its ledger from then
   * on. Requests that one process has another answer at a time (`calls`), of all ledgers and of each.
   */
  siblings: {
    calls: { all: 512, ledger: 128 },
    held: { all: 32 * 1024 * 1024, account: 8 * 1024 * 1024 },
    silence: 4_000,
    respite: 1_000,
    known: 100,
  },
  /** Attempts at a write, which is prepared again whenever the state it was decided on has changed. */
  attempts: 200,
  /** Ledgers whose keys one process keeps in memory, and bytes that the states of ledgers take that it keeps together. */
  ledgers: { count: 1_000, together: 128 * 1024 * 1024 },
  /**
   * Loads of ledger states from the database: `concurrency` at a time. A state of at most `small` bytes is read directly;
   * larger ones share `size` bytes. Of one ledger, `waiting` loads may wait, each for `patience` milliseconds at most.
   */
  loads: { concurrency: 4, small: 128 * 1024, size: 8 * 1024 * 1024, waiting: 100, patience: 10_000 },
  /** Bytes that the signers, by key, take that one process remembers, and the number of memberships of circles. */
  signers: 32 * 1024 * 1024,
  memberships: 10_000,
  /** Characters of versions of records that one process keeps to look them up again. */
  known: 8 * 1024 * 1024,
  /** Characters of versions, as they are served and in canonical form, that one process keeps to list them again. */
  items: 3 * 1024 * 1024,
  /**
   * Signatures that are made or verified for requests together: in one `message` to the signing thread, `concurrency` of them at a
   * time; asked for at a time, of one `process` and of one `ledger`, of which so many more requests may wait (`waiting`).
   */
  signatures: { message: 128, concurrency: 1, process: 1_024, ledger: 128, waiting: 10_000 },
  /** Compiled user schemas one process keeps. */
  compiled: 500,
} as const;
