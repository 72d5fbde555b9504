import { readJson } from '@countersign/protocol';
import type pg from 'pg';
import { WAL_POSITION, WrongDatabase } from '../epoch-guard.js';
import { transaction } from '../transaction.js';
import { mapConcurrently } from './by-ledger.js';
import { isDistributed } from './distribution.js';
import { type NodeState, settleStart } from './starts.js';

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
 * Detects that a node of a cluster has gone on from an earlier point: it was restored, or its standby was behind. The epoch guard
 * looks at the coordinator alone, since Citus makes the connections to the others. So each answer about a ledger tells of the
 * node that gave it, and counts once that start of the node has been examined.
 */
export interface NodeGuard {
  /** SQL: columns by which an answer tells of its node, after a comma; none where the database is no cluster. In the first row only. */
  columns(isFirst: string): string;
  /**
   * What a statement with these columns answers, once the node that answered is known. It is asked again where that has just begun.
   *
   * @throws WrongDatabase while the node cannot be examined
   */
  read<Row extends pg.QueryResultRow>(ask: () => Promise<{ rows: Row[] }>): Promise<{ rows: Row[] }>;
  /** Looks at all nodes. */
  look(): Promise<readonly SeenNode[]>;
}

/** Where the database is no cluster. */
export const NO_NODES: NodeGuard = { columns: () => '', read: (ask) => ask(), look: async () => [] };

/** A node that has gone on from an earlier point. */
export interface SetBack {
  readonly node: string;
  /** The epoch that its ledgers are in from here on. */
  readonly epoch: number;
  /** Luids of its ledgers. */
  readonly ledgers: readonly string[];
}

interface NodeGuardOptions {
  /** Whether the role may read positions of the write-ahead log: without them, each start counts as one at an earlier point. */
  readonly mayAskPosition: boolean;
  readonly setBack: (node: SetBack) => void;
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

class ClusterGuard implements NodeGuard {
  readonly #pool: pg.Pool;
  readonly #options: NodeGuardOptions;
  /** Highest positions that were read, by the start of the node: of those starts that were examined. */
  readonly #passed = new Map<string, number>();
  /** The start of each node that was examined last, by its number. */
  readonly #starts = new Map<number, string>();
  readonly #looks = new Map<number, Promise<SeenNode>>();

  constructor(pool: pg.Pool, options: NodeGuardOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  columns(isFirst: string): string {
    const position = this.#options.mayAskPosition ? WAL_POSITION : 'null::bigint';
    return `, case when ${isFirst} then ${START} end as node_start, case when ${isFirst} then ${position} end as node_position`;
  }

  async read<Row extends pg.QueryResultRow>(ask: () => Promise<{ rows: Row[] }>): Promise<{ rows: Row[] }> {
    // A look that is under way may have asked before the node began, so there is another.
    for (let looks = 0; ; looks += 1) {
      const answer = await ask();
      const told: Told | undefined = answer.rows[0];
      if (told !== undefined && this.#saw(told)) return answer;
      // A node that was set back may lack its copy of the row of the ledger.
      if (told === undefined && looks > 0) return answer;
      if (looks === 2) throw new WrongDatabase('A node of the cluster has begun anew, and could not be examined yet.');
      await this.look();
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

  #lookAt(one: Address): Promise<SeenNode> {
    if (one.node === COORDINATOR) return Promise.resolve({ address: addressOf(one), isUp: true });
    const underWay = this.#looks.get(one.node);
    if (underWay) return underWay;
    const look = this.#examine(one).finally(() => this.#looks.delete(one.node));
    this.#looks.set(one.node, look);
    return look;
  }

  async #examine(one: Address): Promise<SeenNode> {
    const address = addressOf(one);
    const { isUp, text } = await onNode(this.#pool, one, askState(this.#options.mayAskPosition));
    if (!isUp) return { address, isUp, why: text };
    try {
      await this.#settle(one, readJson(text) as unknown as NodeState);
      return { address, isUp };
    } catch (failure) {
      return { address, isUp, failure };
    }
  }

  async #settle(one: Address, state: NodeState): Promise<void> {
    if (state.isStandby) throw new WrongDatabase('The node is a standby, which takes no writes.');
    const before = this.#starts.get(one.node);
    if (before === state.start && state.isAdmitted) return;
    const passed = before === undefined ? 0 : this.#passed.get(before)!;
    const moved = await transaction(this.#pool, (client) => settleStart(client, one, state, { start: before, passed }));
    if (!state.isAdmitted) await run(this.#pool, one, `select cluster.admit('${state.start}')`);
    this.#admit(one.node, state.start, state.position ?? 0);
    if (moved) this.#options.setBack({ node: addressOf(one), ...moved });
  }

  #admit(node: number, start: string, position: number): void {
    const before = this.#starts.get(node);
    if (before === start) return;
    if (before !== undefined) this.#passed.delete(before);
    this.#starts.set(node, start);
    this.#passed.set(start, position);
  }

  /** @returns whether the start of the node that answered was examined */
  #saw({ node_start: start = '', node_position: position }: Told): boolean {
    const passed = this.#passed.get(start);
    if (passed === undefined) return false;
    if (position != null && position > passed) this.#passed.set(start, position);
    return true;
  }
}

/** The number of the group of the coordinator. */
const COORDINATOR = 0;

function addressOf({ host, port }: Address): string {
  return `${host}:${port}`;
}

/** What a node is asked. */
function askState(mayAskPosition: boolean): string {
  const known = mayAskPosition
    ? `(select system_identifier::text from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`
    : `'start/' || ${START}`;
  return `select json_build_object('start', ${START}, 'isStandby', pg_is_in_recovery(),
    'name', case when not pg_is_in_recovery() then ${known} end,
    'position', case when not pg_is_in_recovery() then ${mayAskPosition ? WAL_POSITION : 'null'} end,
    'isAdmitted', coalesce(cluster.admitted() = pg_postmaster_start_time(), false),
    'prepared', (select count(*) from pg_prepared_xacts where prepared < pg_postmaster_start_time()))`;
}

/** Runs a statement on a node, in a transaction of its own. @returns whether it did, and the first column of the first row, or why not */
async function onNode(on: pg.Pool, { host, port }: Address, text: string): Promise<{ isUp: boolean; text: string }> {
  const { rows } = await on.query<{ isUp: boolean; text: string }>(
    `select r.success as "isUp", r.result as text from master_run_on_worker(array[$1], array[$2::int], array[$3], false) r`,
    [host, port, text],
  );
  return rows[0]!;
}

async function run(on: pg.Pool, one: Address, text: string): Promise<void> {
  const { isUp, text: answer } = await onNode(on, one, text);
  if (!isUp) throw new Error(`The node ${addressOf(one)} has refused: ${answer}`);
}
