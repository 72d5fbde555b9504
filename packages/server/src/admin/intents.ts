import { type JsonObject, readJson } from '@countersign/protocol';
import type pg from 'pg';
import { type Static, Type } from 'typebox';
import { findNamedLedger, type NamedLedger } from '../archive/named-ledger.js';
import type { Suspension } from '../ledgers/suspension.js';
import { isDecided, type PartStatus, type Stage } from '../money/intent.js';
import { AWAITED } from '../money/machine.js';
import type { OpenState } from '../money/open-state.js';
import { PROCESS_INTENTS } from '../money/worker.js';
import { createDeliveryRetries } from '../store/outbox/delivery-retries.js';
import { defineOperation, LEDGER_NAME, type OperationDeps } from './operation.js';
import { AdminRefused, WrongCall } from './refusals.js';

/** An intent that is neither completed nor rejected. */
export interface OpenIntentLine {
  readonly handle: string;
  readonly luid: string;
  readonly stage: string;
  /** When it was created, ISO 8601. */
  readonly created: string;
  /** When it expires by itself; null where it does not. */
  readonly expires: string | null;
  /** In words. */
  readonly waitsFor: string;
  /** The calls that it waits for an answer of. */
  readonly calls: readonly AwaitedCall[];
}

/** A call of a bridge that has yet to report. */
export interface AwaitedCall {
  readonly bridge: string;
  readonly verb: 'prepare' | 'commit' | 'abort';
  /** The entry, and the side that it is on. */
  readonly entry: string;
  readonly side: string;
  /** Handle and status of the delivery; null where the call was not queued. */
  readonly delivery: string | null;
  readonly status: string | null;
  readonly attempts: number;
  /** ISO 8601: of the last attempt, and of the next. */
  readonly attempted: string | null;
  readonly next: string | null;
  /** What the last failed attempt has met, or why it was given up. */
  readonly error: string | null;
}

/** Those that were created so many seconds ago or more, the oldest first. */
const INPUT = Type.Object(
  {
    ledger: LEDGER_NAME,
    olderThan: Type.Integer({ minimum: 0, maximum: 100_000_000_000 }),
    limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
  },
  { additionalProperties: false },
);

export interface OpenIntentsPage {
  readonly intents: readonly OpenIntentLine[];
  /** Whether there are more. */
  readonly isMore: boolean;
}

/** Lists the intents of a ledger that are under way. */
export const intents = defineOperation({
  input: INPUT,
  changes: () => false,
  mostAfar: { limit: 50 },
  run: (deps, asked) =>
    deps.onDatabase(async ({ pool }) =>
      findOpen(pool, await findNamedLedger(pool, asked.ledger, WrongCall), asked, deps),
    ),
});

/** What was done to have intents go on. */
export interface RetriedIntents extends OpenIntentsPage {
  /** Calls that are made again. */
  readonly resent: number;
}

/**
 * Has intents looked at at once, and the calls that they wait for made again. It decides nothing: the bridges do, by what they
 * report.
 */
export const retryIntents = defineOperation({
  input: INPUT,
  changes: () => true,
  mostAfar: { limit: 50 },
  run: (deps, asked) =>
    deps.onDatabase(async ({ pool }): Promise<RetriedIntents> => {
      const ledger = await findNamedLedger(pool, asked.ledger, WrongCall);
      const found = await findOpen(pool, ledger, asked, deps);
      await lookAtOnce(pool, ledger, found.intents);
      const resent = await resend(pool, ledger, found.intents, deps.now());
      return { ...found, resent };
    }),
});

/** What is due waits no more, be it put off, or its ledger after failures. */
async function lookAtOnce(pool: pg.Pool, ledger: NamedLedger, intents: readonly OpenIntentLine[]): Promise<void> {
  await pool.query(
    `update open_intent set due = statement_timestamp()
     where ledger_id = $1 and luid = any ($2::text[]) and due > statement_timestamp()`,
    [ledger.id, intents.map(({ luid }) => luid)],
  );
  await pool.query('delete from lease where ledger_id = $1 and worker = $2 and unit = $3 and holder is null', [
    ledger.id,
    PROCESS_INTENTS,
    ledger.luid,
  ]);
}

async function resend(
  pool: pg.Pool,
  { id, ...ledger }: NamedLedger,
  intents: readonly OpenIntentLine[],
  now: number,
): Promise<number> {
  const retries = createDeliveryRetries(pool);
  let { version } = ledger;
  let resent = 0;
  for (const { luid, calls } of intents) {
    for (const call of calls) {
      const { bridge, delivery, status } = call;
      if (delivery === null || status === 'running') continue;
      const unsigned = { luid, proofs: [], veiled: [], now: new Date(now) };
      const scope = { ledger: id, owner: 'bridge', id: bridge, domains: null } as const;
      const again = () => retries.resend({ ...scope, ...unsigned, version, handle: delivery });
      let done = await again();
      // No rule is asked: what was written meanwhile changes nothing here.
      for (let tries = 1; done.outcome === 'stale' && tries < MOST_TRIES; tries += 1) {
        version = done.version;
        done = await again();
      }
      if (done.outcome === 'stale') throw new AdminRefused('The ledger has changed meanwhile. Try again.');
      if (done.outcome === 'done' && (await hasMoved(pool, id, call))) resent += 1;
    }
  }
  return resent;
}

/** Of one call, while rules are written. */
const MOST_TRIES = 10;

/** Whether a call is no more as it was listed: one that was attempted as often as it may be stays as it is. */
async function hasMoved(pool: pg.Pool, ledger: number, { delivery, status, next }: AwaitedCall): Promise<boolean> {
  const { rows } = await pool.query(
    `select from delivery d where d.ledger_id = $1 and d.handle = $2
       and (d.status <> $3 or date_trunc('milliseconds', d.due) is distinct from $4::timestamptz)`,
    [ledger, delivery, status, next],
  );
  return rows.length > 0;
}

interface OpenRow {
  readonly handle: string;
  readonly luid: string;
  readonly stage: Stage;
  readonly state: string;
  readonly created: Date;
  readonly expires: Date | null;
  readonly suspended: Suspension['level'] | null;
}

const FIND_OPEN = `select r.handle, o.luid, o.stage, o.state, r.moment as created, o.deadline as expires, l.suspended
  from open_intent o join record r on r.ledger_id = o.ledger_id and r.luid = o.luid join ledger l on l.id = o.ledger_id
  where o.ledger_id = $1 and r.moment <= $2 order by r.seq limit $3`;

async function findOpen(
  pool: pg.Pool,
  { id }: NamedLedger,
  { olderThan, limit }: Static<typeof INPUT>,
  { now, longestRead: longest }: OperationDeps,
): Promise<OpenIntentsPage> {
  const { rows } = await pool.query<OpenRow>(FIND_OPEN, [id, new Date(now() - olderThan * 1_000), limit + 1]);
  const intents = rows.slice(0, limit);
  const waited = intents.map((row) => findAwaited(readJson(row.state) as unknown as OpenState));
  const bridges = [...new Set(waited.flat().map(({ bridge }) => bridge))];
  const found = await findCalls(pool, id, { intents, bridges, longest });
  const made = new Map(found.map((call) => [callKey(call.intent, call), call]));
  const lines = intents.map((row, at): OpenIntentLine => {
    const calls = waited[at]!.map((part): AwaitedCall => {
      const call = made.get(callKey(row.handle, part));
      return { ...part, ...(call ? viewCall(call) : NOT_QUEUED) };
    });
    const { handle, luid, stage, created, expires } = row;
    return {
      ...{ handle, luid, stage, created: created.toISOString(), expires: expires?.toISOString() ?? null },
      waitsFor: wordsFor(row, calls),
      calls,
    };
  });
  return { intents: lines, isMore: rows.length > limit };
}

/** Of a call, among those of a ledger. */
function callKey(intent: string, { entry, verb }: { readonly entry: string; readonly verb: string }): string {
  return JSON.stringify([intent, entry, verb]);
}

type AwaitedPart = Pick<AwaitedCall, 'bridge' | 'verb' | 'entry' | 'side'>;

/** The parts whose bridge has yet to report, by what is kept of the intent. */
function findAwaited({ state: { plan, parts } }: OpenState): AwaitedPart[] {
  return (plan?.parts ?? []).flatMap(({ handle: entry, bridge, side }, at) => {
    const verb = AWAITED[parts[at] as PartStatus];
    return verb === undefined ? [] : [{ bridge, verb, entry, side }];
  });
}

interface CallRow {
  readonly intent: string;
  readonly entry: string;
  readonly verb: string;
  readonly delivery: string;
  readonly status: string;
  readonly attempts: number;
  readonly attempted: Date | null;
  readonly next: Date | null;
  /** The proof of the last attempt that has failed, as JSON. */
  readonly failed: string | null;
  readonly why: string | null;
}

const NOT_QUEUED: Omit<AwaitedCall, keyof AwaitedPart> = {
  delivery: null,
  status: null,
  attempts: 0,
  attempted: null,
  next: null,
  error: null,
};

/** Which calls are read. */
interface CallsOf {
  readonly intents: readonly OpenRow[];
  readonly bridges: readonly string[];
  /** Milliseconds for which they are read at most. */
  readonly longest: number;
}

/** It reads the calls of these bridges: there is no index by intent. Of as many as there are this may take longer than other statements. */
async function findCalls(pool: pg.Pool, ledger: number, { intents, bridges, longest }: CallsOf): Promise<CallRow[]> {
  if (bridges.length === 0) return [];
  const client = await pool.connect();
  try {
    await client.query(`begin read only; set local statement_timeout = ${longest}`);
    const config = {
      text: CALLS,
      values: [ledger, bridges, intents.map(({ handle }) => handle)],
      query_timeout: longest,
    };
    const { rows } = await client.query<CallRow>(config);
    await client.query('commit');
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A delivery may have thousands of proofs: one is read. */
const CALLS = `select d.linked as intent, d.entry, d.purpose as verb, d.handle as delivery, d.status, d.attempts, d.attempted, d.due as next,
    (select p.one::text from json_array_elements(('[' || d.proofs || ']')::json) with ordinality p (one, place)
      where d.status <> 'delivered' and p.one::text like '%"status":"failed"%' order by p.place desc limit 1) as failed,
    d.given_up as why
  from delivery d where d.ledger_id = $1 and d.bridge = any ($2::text[]) and d.linked = any ($3::text[]) and d.entry is not null`;

function viewCall(call: CallRow): Omit<AwaitedCall, keyof AwaitedPart> {
  const { delivery, status, attempts, attempted, next, failed, why } = call;
  return {
    ...{ delivery, status, attempts },
    attempted: attempted?.toISOString() ?? null,
    next: next?.toISOString() ?? null,
    error: status === 'delivered' ? null : (errorOf(failed) ?? why),
  };
}

/** What an attempt has met, by its proof. */
function errorOf(proof: string | null): string | undefined {
  if (proof === null) return undefined;
  const { reason, detail } = (readJson(proof) as { readonly custom?: JsonObject }).custom ?? {};
  if (reason === undefined) return undefined;
  const told = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return [reason, told].filter(Boolean).join(' ').slice(0, ERROR_CHARACTERS);
}

/** Of an error: it repeats what a bridge has answered. */
const ERROR_CHARACTERS = 300;

function wordsFor({ stage, suspended }: OpenRow, calls: readonly AwaitedCall[]): string {
  const bridges = [...new Set(calls.map(({ bridge }) => bridge))].join(', ');
  const what: Readonly<Partial<Record<Stage, string>>> = {
    accepted: 'a process to decide',
    waiting: 'a permission that its signers lack, until it expires',
    debits: `${bridges} to prepare`,
    credits: `${bridges} to prepare`,
    held: 'a signer to commit or abort',
    prepared: 'the other intents of its thread',
    committing: `${bridges} to report committed`,
    aborting: `${bridges} to report aborted`,
  };
  const waits = what[stage] ?? stage;
  // What is decided goes on, unless the reports of bridges are refused with the reads.
  const isHeldUp = suspended === 'all' || (suspended === 'writes' && !isDecided(stage));
  return isHeldUp ? `the ledger to be resumed, then ${waits}` : waits;
}
