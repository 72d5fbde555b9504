import pg from 'pg';
import { gather, type Watch } from '../../base/gather.js';
import type { LedgerClock } from '../../base/ledger-clock.js';
import { kindNamed } from '../../kinds/registry.js';
import { limits } from '../../limits.js';
import { toArrayLiteral } from '../arrays/array-literal.js';
import { textArray } from '../arrays/text-array.js';
import { createHolds } from '../money/holds.js';
import { ALL_KINDS } from '../queries/newest-moment.js';
import { addBytes } from '../stored-bytes.js';
import { onceConnected, transaction } from '../transaction.js';
import { isUnavailable } from '../unavailable.js';
import { commitStatement } from './commit-sql.js';
import { createLabeled } from './labeled.js';
import type { Settles } from './settle-sql.js';
import { type Settled, type Settlement, settlementColumns, settlesOf } from './settlement.js';
import type { Need, Outcome, Write } from './write.js';
import { besideOf, bytesOf, ROW_BYTES } from './write-size.js';

export type Commit = (write: Write) => Promise<Outcome>;

/** The clock of a ledger (base/ledger-clock.ts). */
export type Clock = Pick<LedgerClock, 'current' | 'mayAsk'>;

/** A pool, or one connection inside a transaction. */
export type Runner = Pick<pg.ClientBase, 'query'>;

/**
 * The committer: writes that arrive while a commit is under way are stored together by the next one. Writes that need
 * more than the one statement (secrets to keep, dependants, balances or labels to look for, a key that may collide) are stored
 * alone, in a transaction of their own.
 *
 * @param clock of the moments of writes: those that are behind what is stored are stale. None is unless given
 * @throws what the database throws. When the connection is lost during a commit the outcome is unknown; sending the
 *   same signed body again is safe (interface/records#sending-a-request-again).
 */
export function createCommitter(pool: pg.Pool, watch?: Watch, clock?: Clock): Commit {
  // No transaction spans two ledgers, so none waits for another's locks, and the tables can be distributed by ledger.
  const { batch, queue, commits: lanes, commit: most } = limits;
  const bounds = { batch, queue, lanes, apart: ledgerOfWrite, weigh: sizeOfWrite, most };
  const together = gather<Write, Outcome>((writes) => storeEach(pool, writes, clock), bounds, watch);
  // Each holds a connection for several round trips, and may wait for a lock: the lanes leave connections for other
  // work.
  const alone = gather<Write, Outcome>(async ([write]) => [await storeAlone(pool, write!, clock)], {
    batch: 1,
    queue,
    lanes: limits.transactions.lanes,
    each: limits.transactions.each,
    apart: ledgerOfWrite,
  });
  const isAlone = ({ secrets, unless, held, unique, renames }: Write) =>
    secrets?.length || unless?.length || held || unique?.length || renames;
  return (write) => (isAlone(write) ? alone(write) : together(write));
}

/** Stores settlements. Ledgers take turns, and leave connections for other work. @throws as `storeSettlement` does */
export function createSettling(pool: pg.Pool): (settlement: Settlement) => Promise<Settled> {
  const bounds = { batch: 1, queue: limits.queue, lanes: limits.intents.lanes, each: 1, isPrompt: true };
  const apart = ({ ledger }: Settlement) => ledger;
  return gather<Settlement, Settled>(async ([one]) => [await storeSettlement(pool, one!)], { ...bounds, apart });
}

/** Characters that the write adds to the statement. */
function sizeOfWrite({ body, document, deliveries = [] }: Write): number {
  return body.length + document.length + deliveries.reduce((sum, { event }) => sum + DELIVERY + event.length, 0);
}

/** Characters of a delivery beside its event. */
const DELIVERY = 300;

function ledgerOfWrite(write: Write): number {
  return write.ledger;
}

/**
 * Stores a batch. When PostgreSQL refuses the statement as a whole (which stores nothing), the batch is halved and
 * retried, until the refused write stands alone: one bad write leaves its neighbours unharmed. An unavailable database
 * would refuse every half too, so it is asked once.
 */
async function storeEach(
  pool: pg.Pool,
  writes: readonly Write[],
  clock: Clock | undefined,
): Promise<(Outcome | Error)[]> {
  try {
    return await onceConnected(pool, (client) => storeTogether(client, writes, clock));
  } catch (error) {
    if (writes.length === 1) return writes.map((write) => lost(write, error) ?? (error as Error));
    if (!(error instanceof pg.DatabaseError) || isUnavailable(error)) return writes.map(() => error as Error);
    const middle = writes.length >> 1;
    const first = await storeEach(pool, writes.slice(0, middle), clock);
    return [...first, ...(await storeEach(pool, writes.slice(middle), clock))];
  }
}

/**
 * Stores a batch that settles intents, all of it or nothing (settle-sql.ts). The outcome of a write that stands in the
 * way of the others says why; that of the others is `blocked`. Where a balance that moves has changed, all are `blocked`.
 *
 * @throws what the database throws. When the connection is lost the outcome is unknown.
 */
export async function storeSettlement(runner: Runner, settlement: Settlement): Promise<Settled> {
  const { ledger, writes } = settlement;
  try {
    const { rows } = await runner.query<SettledRow>({
      ...statementFor(writes, settlesOf(settlement)),
      values: [...toColumns(ledger, writes, { together: settlement.needs }), ...settlementColumns(settlement)].map(
        toArrayLiteral,
      ),
    });
    const [first] = rows;
    return {
      isStored: first?.isStored === true,
      isHome: first?.isHome === true,
      isBalanced: first?.isBalanced === true,
      outcomes: writes.map((_, ord) => ({ result: rows[ord]!.result, version: rows[ord]!.version })),
    };
  } catch (error) {
    if (!gaveWay(error) && !wasReused(error) && !isTakenMeanwhile(error)) throw error;
    const outcomes = writes.map(({ version }) => ({ result: 'blocked', version }) as const);
    return { isStored: false, isHome: true, isBalanced: false, outcomes };
  }
}

interface SettledRow {
  readonly result: Settled['outcomes'][number]['result'];
  readonly version: number;
  readonly isStored: boolean;
  readonly isHome: boolean;
  readonly isBalanced: boolean;
}

/** Whether another transaction made a row at the same time that this one was to make. */
function isTakenMeanwhile(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION;
}

/**
 * Runs the commit statement over the writes, and compares their clock as of now: the connection is there.
 *
 * @param writes all of one ledger
 * @param clock as of `createCommitter`
 * @returns an outcome for each write, in order
 */
export async function storeTogether(runner: Runner, writes: readonly Write[], clock?: Clock): Promise<Outcome[]> {
  if (writes.some(({ ledger }) => ledger !== writes[0]?.ledger)) throw new Error('No commit spans two ledgers.');
  const { rows } = await runner.query<Outcome>({
    ...statementFor(writes),
    values: toColumns(writes[0]?.ledger, writes, { clock }).map(toArrayLiteral),
  });
  return rows.map(({ result, version, newest }) => (clock ? { result, version, newest } : { result, version }));
}

/**
 * The name under which each connection keeps a statement's plan. There is one statement for each combination of parts.
 * PostgreSQL takes two names for one that begin with the same 63 characters, so a name has the first letters of parts.
 */
const statements = new Map<string, { name: string; text: string }>();

function statementFor(writes: readonly Write[], settle: Settles | false = false): { name: string; text: string } {
  const has = (action: Write['action']) => writes.some((write) => write.action === action);
  const decide = writes.some(({ decides }) => decides);
  const register = writes.some(registers);
  const deliver = writes.some(({ deliveries = [] }) => deliveries.length > 0);
  const wake = writes.some(({ wakes }) => wakes === true);
  const does = {
    ...{ create: has('create'), update: has('update'), drop: has('drop'), erase: has('erase') },
    ...{ decide, register, deliver, settle, wake },
  };
  const partsOf = (all: object) => Object.entries(all).flatMap(([part, is]) => (is ? [part.slice(0, 3)] : []));
  const name = ['commit', ...partsOf(does), ...partsOf(settle || {})].join('-');
  const known = statements.get(name);
  if (known) return known;
  const statement = { name, text: commitStatement(does) };
  statements.set(name, statement);
  return statement;
}

function registers({ action, kind, link }: Write): boolean {
  return kindNamed(kind).links.isKey === true && action !== 'drop' && link !== undefined;
}

/** The outcome of a write that lost to another transaction; undefined for any other error. */
function lost(write: Write, error: unknown): Outcome | undefined {
  if (gaveWay(error)) return staleAs(write);
  return wasReused(error) ? { result: 'reused', version: write.version } : undefined;
}

/** Whether another transaction used a proof for another record at the same time (commit-sql.ts, USED). */
function wasReused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === NOT_NULL_VIOLATION && error.table === 'used_proof';
}

/**
 * Whether PostgreSQL aborted the transaction to let another through, as in a deadlock between batches of two processes.
 * The write is then decided again on what the other stored.
 */
export function gaveWay(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === DEADLOCK || error.code === SERIALIZATION_FAILURE);
}

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const NOT_NULL_VIOLATION = '23502';

function staleAs(write: Write): Outcome {
  return { result: 'stale', version: write.version };
}

/** Stores one write in its own transaction, with the checks and rows that the shared statement lacks. */
async function storeAlone(pool: pg.Pool, write: Write, clock: Clock | undefined): Promise<Outcome> {
  const stale = staleAs(write);
  try {
    return await transaction(pool, async (client, rollback) => {
      if ((write.unless?.length || write.held) && (await isNeeded(client, write))) return rollback(stale);
      if (write.unique?.length && (await hasTakenLabels(client, write))) return rollback(stale);
      const [outcome = stale] = await storeTogether(client, [write], clock);
      if (outcome.result === 'done') await keepSecrets(client, write.ledger, write.luid, write.secrets ?? []);
      return outcome;
    });
  } catch (error) {
    if (write.renames && error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) {
      return { result: 'duplicated', version: write.version };
    }
    const outcome = lost(write, error);
    if (outcome) return outcome;
    throw error;
  }
}

const UNIQUE_VIOLATION = '23505';

/**
 * Whether a dependant, a balance or an intent under way stands in the way of the write. The record itself is locked first: a
 * write that needs it, or moves money by it, waits for this one, and the statements after it see one that came before.
 */
async function isNeeded(client: Runner, write: Write): Promise<boolean> {
  await client.query('select from record where ledger_id = $1 and luid = $2 for update', [write.ledger, write.luid]);
  return (await hasDependants(client, write)) || (await isHeld(client, write));
}

async function hasDependants(client: Runner, { ledger, unless = [] }: Write): Promise<boolean> {
  if (unless.length === 0) return false;
  const { rows } = await client.query(
    `select from unnest($2::text[], $3::text[]) as u(kind, link)
       join record r on r.ledger_id = $1 and r.kind = u.kind and r.link = u.link limit 1`,
    [ledger, unless.map((one) => one.kind), unless.map((one) => one.link)],
  );
  return rows.length > 0;
}

/** Those who settle wait for the lock meanwhile, so it is looked for no longer than a list. */
async function isHeld(client: Runner, { ledger, held }: Write): Promise<boolean> {
  if (!held) return false;
  await client.query(`set local statement_timeout = ${limits.listing}`);
  return (await createHolds(client)({ ledger, ...held })).length > 0;
}

/**
 * Whether another record has one of the labels that must be unique. The ledger's row is locked first: two that add the
 * same label meet there, and the later one sees the earlier.
 */
async function hasTakenLabels(client: Runner, { ledger, kind, luid, key, unique = [] }: Write): Promise<boolean> {
  await client.query('select from ledger where id = $1 for no key update', [ledger]);
  return (await createLabeled(client)({ ledger, kind, luid, key, labels: unique })) !== undefined;
}

/** Keeps sealed values of secret references, and counts them for the quota; a name kept before takes the new value. */
export async function keepSecrets(
  runner: Runner,
  ledger: number,
  luid: string,
  secrets: readonly { readonly name: string; readonly sealed: Buffer }[],
): Promise<void> {
  if (secrets.length === 0) return;
  const bytes = `coalesce(sum(${ROW_BYTES} + octet_length(sealed)), 0)`;
  await runner.query(
    `with had as (select ${bytes} as bytes from secret where ledger_id = $1 and luid = $2 and name = any($3::text[])),
     kept as (
       insert into secret (ledger_id, luid, name, sealed)
       select $1, $2, name, sealed from unnest($3::text[], $4::bytea[]) as s(name, sealed)
       on conflict (ledger_id, luid, name) do update set sealed = excluded.sealed
       returning sealed
     )
     ${addBytes(`(select ${bytes} from kept) - (select bytes from had)`)}`,
    [ledger, luid, secrets.map((one) => one.name), secrets.map((one) => one.sealed)],
  );
}

/**
 * The parameters of the commit statement: the ledger, then one array per column, indexed by write.
 *
 * @param together records that must exist for the batch as a whole, in place of those of each write
 */
function toColumns(
  ledger: number | undefined,
  writes: readonly Write[],
  { together, clock }: { readonly together?: readonly Need[]; readonly clock?: Clock | undefined },
): unknown[] {
  const strangers = writes.flatMap((write, ord) => write.strangers.map((key) => ({ ord, key })));
  const needs: readonly (Need & { ord: number })[] =
    together?.map((need) => ({ ord: -1, ...need })) ??
    writes.flatMap((write, ord) => write.needs.map((need) => ({ ord, ...need })));
  return [
    ledger,
    writes.map((_, ord) => ord),
    writes.map((write) => write.version),
    writes.map((write) => write.action),
    writes.map((write) => write.kind),
    writes.map((write) => write.key),
    writes.map((write) => write.luid),
    writes.map((write) => write.change),
    writes.map((write) => write.change - 1 - (write.earlier?.length ?? 0)),
    writes.map((write) => write.moment),
    writes.map((write) => write.hash),
    writes.map((write) => write.status ?? null),
    writes.map((write) => write.domain ?? null),
    writes.map((write) => write.link ?? null),
    writes.map((write) => write.proven),
    textArray(writes.map((write) => write.document)),
    textArray(writes.map((write) => write.judged ?? '')),
    textArray(writes.map((write) => write.body)),
    writes.map((write) => (together ? 0 : write.needs.length)),
    writes.map((write) => write.decides),
    writes.map((write) => write.mac ?? null),
    textArray(writes.map((write) => `{${write.proofs.join(',')}}`)),
    textArray(writes.map(({ veiled = [] }) => `{${veiled.join(',')}}`)),
    writes.map((write) => write.wakes === true),
    writes.map((write) => write.leaves),
    writes.map((write) => clockOf(write, clock)),
    writes.map(bytesOf),
    writes.map(besideOf),
    strangers.map((one) => one.ord),
    strangers.map((one) => one.key),
    needs.map((one) => one.ord),
    needs.map((one) => one.kind),
    needs.map((one) => one.handle),
    needs.map((one) => one.luid ?? null),
    needs.map((one) => one.change ?? null),
    ...(together ? [] : [kindsAsked(writes, clock)]),
    ...deliveryColumns(writes),
  ];
}

/** Infinity for a write that is stored as of whatever moment: those of kinds whose moments are fixed are. */
function clockOf({ ledger, kind }: Write, clock: Clock | undefined): string {
  if (!clock || kindNamed(kind).lifecycle.fixedMoment) return 'infinity';
  return new Date(clock.current(ledger)).toISOString();
}

/** The kinds of records whose last moment a commit asks for. */
function kindsAsked(writes: readonly Write[], clock: Clock | undefined): readonly string[] {
  if (!clock) return [];
  return clock.mayAsk(writes[0]!.ledger) ? ALL_KINDS : [...new Set(writes.map(({ kind }) => kind))];
}

/** Empty where no write of the batch has a delivery: the statement then has no part for them. */
function deliveryColumns(writes: readonly Write[]): unknown[] {
  const queued = writes.flatMap(({ deliveries = [] }, ord) => deliveries.map((delivery) => ({ ord, ...delivery })));
  if (queued.length === 0) return [];
  return [
    queued.map((one) => one.ord),
    queued.map((_, index) => index),
    queued.map((one) => one.handle),
    queued.map((one) => one.effect ?? null),
    queued.map((one) => one.effectHandle ?? null),
    queued.map((one) => one.effectChange ?? null),
    queued.map((one) => one.effectDomain ?? null),
    queued.map((one) => one.bridge ?? null),
    queued.map((one) => one.target),
    queued.map((one) => one.record),
    queued.map((one) => one.linked ?? null),
    textArray(queued.map((one) => one.event)),
    queued.map((one) => one.mac),
  ];
}
