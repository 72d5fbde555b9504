import { setTimeout as wait } from 'node:timers/promises';
import { readJson } from '@countersign/protocol';
import pg from 'pg';
import { databaseLimits } from '../database-limits.js';
import { WAL_POSITION, WrongDatabase } from '../epoch-guard.js';
import { isCanceled } from '../queries/statement.js';
import { transaction } from '../transaction.js';
import { mapConcurrently } from './by-ledger.js';
import { formatAddress, isDistributed } from './distribution.js';
import { type NodeState, raisePosition, settleStart } from './starts.js';

/** A node, as the latest look found it. */
interface SeenNode {
  /** `host:port`. */
  readonly address: string;
  readonly isUp: boolean;
  /** Why it is not up. */
  readonly why?: string;
  /** Why its ledgers cannot be served though it answers; undefined where they are. */
  readonly failure?: unknown;
}

/**
 * Detects that a node of a cluster has gone back in time: it was restored, or its standby was behind. The epoch guard looks at the
 * coordinator alone, since Citus makes the connections to the others. So each lookup of records and signers tells of the node that
 * answered it, and counts once that start of the node has been examined. Other reads (lists, histories, logs) do not tell.
 */
export interface NodeGuard {
  /** SQL: columns by which an answer tells of its node, after a comma; none where the database is no cluster. In the first row only. */
  columns(isFirst: string): string;
  /**
   * What a statement with these columns answers, once the start of the node that answered has been examined. It is asked again where
   * that is new. Waits for an examination for a second at most.
   *
   * @throws WrongDatabase while the node is not examined
   */
  read<Row extends pg.QueryResultRow>(ask: () => Promise<{ rows: Row[] }>): Promise<{ rows: Row[] }>;
  /** Looks at all nodes. */
  look(): Promise<readonly SeenNode[]>;
}

/** Where the database is no cluster. */
export const NO_NODES: NodeGuard = { columns: () => '', read: (ask) => ask(), look: async () => [] };

/** A node that has gone back in time. */
export interface WentBack {
  readonly node: string;
  /** The epoch that its ledgers are in from here on. */
  readonly epoch: number;
  /** Luids of its ledgers. */
  readonly ledgers: readonly string[];
}

interface NodeGuardOptions {
  /** Whether the role may read positions of the write-ahead log: without them, each start counts as one at an earlier point. */
  readonly mayAskPosition: boolean;
  readonly wentBack: (node: WentBack) => void;
}

/** Makes the guard of the nodes of a cluster, and looks at them for the first time. */
export async function createNodeGuard(pool: pg.Pool, options: NodeGuardOptions): Promise<NodeGuard> {
  if (!(await isDistributed(pool))) return NO_NODES;
  const guard = new ClusterGuard(pool, options);
  await guard.look();
  return guard;
}

/** SQL: names the start of the node that answers, in seconds since 1970. */
const START = 'extract(epoch from pg_postmaster_start_time())::text';

interface Told {
  readonly node_start?: string;
  readonly node_position?: number | null;
}

interface Address {
  readonly node: number;
  readonly host: string;
  readonly port: number;
}

/** A start of a node, which was examined. */
interface ExaminedStart {
  readonly start: string;
  /** The highest position that was read of it. */
  passed: number;
  /** The epoch that its ledgers were moved to after it, of which was told already. */
  told?: number;
}

/** Why a start could not be examined, and until when (by `performance.now()`) it is not tried again for a read. */
interface Failure {
  readonly why: unknown;
  readonly until: number;
}

class ClusterGuard implements NodeGuard {
  readonly #pool: pg.Pool;
  readonly #options: NodeGuardOptions;
  /** Those whose answers count. */
  readonly #admitted = new Map<string, ExaminedStart>();
  /** The one of each node that was examined last, by the number of the node: what a later one is compared with. */
  readonly #latest = new Map<number, ExaminedStart>();
  readonly #looks = new Map<number, Promise<SeenNode>>();
  /** Those under way, by the number of the node. */
  readonly #examinations = new Map<number, Promise<void>>();
  /** By the name of the start; that of an answer without rows is `''`. */
  readonly #failures = new Map<string, Failure>();

  constructor(pool: pg.Pool, options: NodeGuardOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  columns(isFirst: string): string {
    // A standby has no position.
    const position = this.#options.mayAskPosition
      ? `case when not pg_is_in_recovery() then ${WAL_POSITION} end`
      : 'null::bigint';
    return `, case when ${isFirst} then ${START} end as node_start, case when ${isFirst} then ${position} end as node_position`;
  }

  async read<Row extends pg.QueryResultRow>(ask: () => Promise<{ rows: Row[] }>): Promise<{ rows: Row[] }> {
    // A look that is under way may have asked before the node was restarted, so there is another.
    for (let looks = 0; ; looks += 1) {
      const answer = await ask();
      const told: Told | undefined = answer.rows[0];
      if (told !== undefined && this.#saw(told)) return answer;
      // A node that has gone back in time may lack its copy of the row of the ledger.
      if (told === undefined && looks > 0) return answer;
      const start = told?.node_start ?? '';
      if (looks === 2) this.#fail(start, new WrongDatabase(NOT_EXAMINED));
      this.#throwFailure(start);
      await this.#lookFor(start);
    }
  }

  async look(): Promise<readonly SeenNode[]> {
    const { rows } = await this.#pool.query<Address & { readonly start: string }>(
      `select groupid as node, nodename as host, nodeport as port, ${START} as start from pg_dist_node where noderole = 'primary'
       order by groupid`,
    );
    // The connections to the coordinator are verified by the epoch guard.
    const [coordinator] = rows;
    if (coordinator !== undefined) this.#admit(COORDINATOR, coordinator.start, 0);
    return mapConcurrently(rows, (one) => this.#lookAt(one));
  }

  /** Waits for a look for a moment only: whoever reads holds a place that all ledgers share, and another node may be silent. */
  async #lookFor(start: string): Promise<void> {
    const ended = new AbortController();
    const tooLong = wait(databaseLimits.readiness.pause, true, { signal: ended.signal, ref: false }).catch(() => false);
    // Which node has no row is unknown: it may be one that cannot be examined.
    const isMissed = (nodes: readonly SeenNode[]) => start === '' && nodes.some(({ failure }) => failure !== undefined);
    const look = this.look().then(isMissed);
    look.catch(() => {});
    try {
      if (await Promise.race([look, tooLong])) this.#fail(start, new WrongDatabase(NOT_EXAMINED));
    } finally {
      ended.abort();
    }
    if (!this.#admitted.has(start)) this.#throwFailure(start);
  }

  #lookAt(one: Address): Promise<SeenNode> {
    if (one.node === COORDINATOR) return Promise.resolve({ address: formatAddress(one), isUp: true });
    const underWay = this.#looks.get(one.node);
    if (underWay) return underWay;
    const look = this.#examine(one).finally(() => this.#looks.delete(one.node));
    this.#looks.set(one.node, look);
    return look;
  }

  async #examine(one: Address): Promise<SeenNode> {
    const address = formatAddress(one);
    const { isUp, text } = await askInTime(this.#pool, one, this.#stateQuery());
    if (!isUp) return { address, isUp, why: text };
    const state = readJson(text) as unknown as NodeState;
    try {
      await this.#settleInTime(one, state);
      this.#failures.delete(state.start);
      return { address, isUp };
    } catch (failure) {
      this.#fail(state.start, failure);
      return { address, isUp, failure };
    }
  }

  /** Waits for an examination as long as for the answer of a node, so that others are told of theirs; it goes on. */
  async #settleInTime(one: Address, seen: NodeState): Promise<void> {
    const examination =
      this.#examinations.get(one.node) ??
      this.#settle(one, seen).finally(() => void this.#examinations.delete(one.node));
    this.#examinations.set(one.node, examination);
    examination.catch(() => {});
    const ended = new AbortController();
    const late = wait(PATIENCE, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new WrongDatabase(`The examination of the node takes longer than ${PATIENCE} ms.`);
    });
    late.catch(() => {});
    try {
      await Promise.race([examination, late]);
    } finally {
      ended.abort();
    }
  }

  async #settle(one: Address, seen: NodeState): Promise<void> {
    const before = this.#latest.get(one.node);
    // A late answer of the start before no longer counts, nor raises what the new one is compared with.
    if (before !== undefined && before.start !== seen.start) this.#admitted.delete(before.start);
    if (seen.isStandby) throw new WrongDatabase('The node is a standby, which takes no writes.');
    if (before?.start === seen.start && seen.isAdmitted) {
      before.passed = Math.max(before.passed, seen.position ?? 0);
      this.#admitted.set(before.start, before);
      await raisePosition(this.#pool, one.node, before);
      return;
    }
    const { state, moved } = await transaction(this.#pool, (client) =>
      settleStart(client, one, { start: before?.start, passed: before?.passed ?? 0 }, async () => {
        const { isUp, text } = await runOnNode(client, one, this.#stateQuery());
        if (!isUp) throw new Error(`The node ${formatAddress(one)} has refused: ${text}`);
        return readJson(text) as unknown as NodeState;
      }),
    );
    // At once: should the node refuse below, what was lost is told all the same.
    if (moved && before?.told !== moved.epoch) {
      if (before) before.told = moved.epoch;
      this.#options.wentBack({ node: formatAddress(one), ...moved });
    }
    if (!state.isAdmitted) {
      const { isUp, text } = await runOnNode(this.#pool, one, `select cluster.admit('${state.start}')`);
      if (!isUp) throw new Error(`The node ${formatAddress(one)} has refused: ${text}`);
    }
    this.#admit(one.node, state.start, state.position ?? 0);
  }

  #stateQuery(): string {
    return formatStateQuery(this.#options.mayAskPosition);
  }

  #admit(node: number, start: string, position: number): void {
    const before = this.#latest.get(node);
    if (before?.start === start) return void this.#admitted.set(start, before);
    if (before !== undefined) this.#admitted.delete(before.start);
    const examined: ExaminedStart = { start, passed: position };
    this.#latest.set(node, examined);
    this.#admitted.set(start, examined);
  }

  /** @returns whether the start of the node that answered was examined */
  #saw({ node_start: start = '', node_position: position }: Told): boolean {
    const examined = this.#admitted.get(start);
    if (examined === undefined) return false;
    if (position != null && position > examined.passed) examined.passed = position;
    return true;
  }

  #fail(start: string, why: unknown): void {
    const now = performance.now();
    for (const [name, { until }] of this.#failures) if (until < now) this.#failures.delete(name);
    this.#failures.set(start, { why, until: now + databaseLimits.readiness.pause });
  }

  #throwFailure(start: string): void {
    const failure = this.#failures.get(start);
    if (failure === undefined || failure.until < performance.now()) return;
    throw new WrongDatabase(NOT_EXAMINED, { cause: failure.why });
  }
}

const NOT_EXAMINED = 'A node of the cluster has restarted, and could not be examined yet.';

/** The number of the group of the coordinator. */
const COORDINATOR = 0;

/** SQL: what a node says of itself. */
function formatStateQuery(mayAskPosition: boolean): string {
  const known = mayAskPosition
    ? `(select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`
    : `'start/' || ${START}`;
  return `select json_build_object('start', ${START}, 'isStandby', pg_is_in_recovery(),
    'name', case when not pg_is_in_recovery() then ${known} end,
    'position', case when not pg_is_in_recovery() then ${mayAskPosition ? WAL_POSITION : 'null'} end,
    'isAdmitted', coalesce(cluster.admitted() = pg_postmaster_start_time(), false),
    'prepared', (select count(*) from pg_prepared_xacts where prepared < pg_postmaster_start_time()))`;
}

/** Milliseconds in which a node must answer a look, and its examination end, before others wait for it no more. */
const PATIENCE = databaseLimits.readiness.patience;

/** Asks a node for a look. Citus itself waits for a silent one as long as `citus.node_connection_timeout` says, or for ever. */
async function askInTime(
  pool: pg.Pool,
  { host, port }: Address,
  text: string,
): Promise<{ isUp: boolean; text: string }> {
  const [of, statement] = [host, text].map((one) => pg.escapeLiteral(one));
  try {
    // In one message. Where it fails, the connection ends.
    const results = (await pool.query(
      `begin; set local statement_timeout = ${PATIENCE};
       select r.success as "isUp", r.result as text from master_run_on_worker(array[${of}], array[${port}], array[${statement}], false) r;
       commit`,
    )) as unknown as pg.QueryResult<{ isUp: boolean; text: string }>[];
    return results[2]!.rows[0]!;
  } catch (error) {
    if (isCanceled(error)) return { isUp: false, text: `It has not answered within ${PATIENCE} ms.` };
    throw error;
  }
}

/** Runs a statement on a node, in a transaction of its own. @returns whether it did, and the first column of the first row, or why not */
async function runOnNode(
  on: pg.Pool | pg.ClientBase,
  { host, port }: Address,
  text: string,
): Promise<{ isUp: boolean; text: string }> {
  const { rows } = await on.query<{ isUp: boolean; text: string }>(
    `select r.success as "isUp", r.result as text from master_run_on_worker(array[$1], array[$2::int], array[$3], false) r`,
    [host, port, text],
  );
  return rows[0]!;
}
