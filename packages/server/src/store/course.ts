import type pg from 'pg';

/** Versions of ledgers that one epoch has room for. */
export const EPOCH = 2 ** 32;

/** The epoch that a ledger's version belongs to. */
export function epochOf(version: number): number {
  return Math.floor(version / EPOCH);
}

/** A connection that leads to a database whose past this process knows to be gone, or that takes no writes. */
export class WrongDatabase extends Error {}

/**
 * How far the database has come, in bytes of its log: what was seen lies before it. Without `synchronous_commit` what is
 * seen may not be on disk yet, and what is only written may be lost.
 */
export const POSITION = `(case when current_setting('synchronous_commit') = 'off'
  then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::bigint`;

/** What a connection leads to. */
interface Mark {
  readonly standby: boolean;
  /** What stays the same for as long as nothing is lost: system and timeline, or else when the server was started. */
  readonly name: string;
  /** The name that the database keeps; null while it keeps none. */
  readonly recorded: string | null;
  readonly system: string | null;
  readonly timeline: number;
  readonly position: number | null;
  /** The start of the server that is connected to. */
  readonly start: string;
  /** Starts that the database remembers, each with how far it had come when it was first connected to. */
  readonly starts: Readonly<Record<string, number>>;
}

/** The database's course through time, as this process has followed it. */
export interface Course {
  /** SQL for how far the database has come; `null` where it may not be asked. */
  readonly position: string;
  /** Takes note of what was read and is going to be kept: a ledger's version, and how far the database had come. */
  saw(version: number, position: number | null): void;
  /** Looks at a new connection before it is used. @throws WrongDatabase */
  verify(client: pg.ClientBase): Promise<void>;
}

export interface CourseOptions {
  /** Told when versions that were read may no longer be stored, with the epoch that all ledgers are in from then on. */
  readonly broken: (epoch: number) => void;
}

const WHATEVER = `pg_is_in_recovery() as standby,
  (select value from deployment where name = 'course') as recorded,
  'start/' || extract(epoch from pg_postmaster_start_time()) as start,
  (select json_object_agg(name, value::bigint) from deployment where name like 'start/%') as starts`;

const LOOK = `select ${WHATEVER},
  (select system_identifier::text from pg_control_system()) as system,
  case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end as timeline,
  case when not pg_is_in_recovery() then ${POSITION} end as position`;

/** Where more may not be asked, every start of the server may be one on an earlier point. */
const LOOK_PLAINLY = `select ${WHATEVER}, null as system, null as timeline, null as position`;

/** Starts that the database remembers. */
const STARTS = 100;

/** What PostgreSQL says of a function that a role may not call, or that a hosted one does not have. */
const REFUSED = new Set(['42501', '42883', '0A000']);

/** Milliseconds that a new connection has to say where it leads. */
const PATIENCE = 5_000;

/** Milliseconds that moving all ledgers on may take: 100,000 take a third of a second. */
const MOVING = 300_000;

/**
 * Follows the database's course. A standby that was behind when it took over, a backup put back, a log that lost its end:
 * after each the database goes on from a point that was passed before, and numbers versions again that this process has
 * read. Every new connection is asked where it leads. Where that is not what was seen before, all ledgers are moved on to
 * an epoch of versions that nobody has seen; what is kept carries the epoch it was read in, and is read again.
 *
 * One process moves the ledgers, in one transaction; the others find that it is done.
 *
 * @param pool asked once what may be asked
 */
export async function followCourse(pool: pg.Pool, { broken }: CourseOptions): Promise<Course> {
  const mayAsk = await mayAskPosition(pool);
  const clients = new Map<pg.ClientBase, number>();
  /** What the connections lead to; absent until there was one. */
  let seen: Mark | undefined;
  let position = 0;
  /** The highest epoch of a version that was read. */
  let highest = 0;
  /** How often the course broke. */
  let breaks = 0;
  let settling: Promise<unknown> = Promise.resolve();

  /** Whether what this process has read may be missing at the other end. */
  const compared = async (client: pg.ClientBase): Promise<{ mark: Mark; isBroken: boolean }> => {
    // What was seen before the question was asked: meanwhile the database may go on.
    const [passed, was] = [position, seen];
    const mark = await look(client, mayAsk);
    if (mark.standby) throw new WrongDatabase('The database is a standby, which takes no writes.');
    if (was && isBehind(was, mark)) {
      throw new WrongDatabase('The database is on a timeline that was left: another server had taken over.');
    }
    return { mark, isBroken: was !== undefined && isBreak(was, passed, mark) };
  };

  const admit = (client: pg.ClientBase, mark: Mark) => {
    seen = mark;
    position = Math.max(position, mark.position ?? 0);
    clients.set(client, breaks);
    client.once('end', () => clients.delete(client));
  };

  /** Agrees with the other processes on the epoch from here on. */
  const settle = async (client: pg.ClientBase, mark: Mark, isBroken: boolean) => {
    const { epoch, moved } = await moveOn(client, mark, isBroken ? highest : undefined);
    highest = Math.max(highest, epoch);
    if (moved || isBroken) broken(epoch);
    if (isBroken) {
      breaks += 1;
      position = 0;
      // What was connected before may still lead to a server that was left behind.
      for (const other of clients.keys()) cut(other);
    }
    admit(client, { ...mark, starts: { ...mark.starts, [mark.start]: mark.position ?? 0 } });
  };

  const verify = async (client: pg.ClientBase): Promise<void> => {
    for (;;) {
      const on = breaks;
      const { mark, isBroken } = await compared(client);
      // Where another connection has found a break meanwhile, this one is compared with what came of that.
      if (on !== breaks) continue;
      if (!isBroken && mark.recorded === mark.name && mark.start in mark.starts) return admit(client, mark);
      const settled = settling.then(async () => {
        if (on !== breaks) return false;
        await settle(client, mark, isBroken);
        return true;
      });
      settling = settled.catch(() => {});
      if (await settled) return;
    }
  };

  return {
    position: mayAsk ? POSITION : 'null::bigint',
    saw(version, at) {
      if (version >= (highest + 1) * EPOCH) highest = epochOf(version);
      if (at !== null && at > position) position = at;
    },
    verify,
  };
}

/**
 * Whether the database has gone on from before what was seen. It may be far beyond that again when this process comes back
 * to it; but whoever came first after a start has left word of how far the database was then.
 *
 * @param passed how far the database had come before the connection was asked
 */
function isBreak(seen: Mark, passed: number, mark: Mark): boolean {
  if (seen.name !== mark.name || (mark.position ?? passed) < passed) return true;
  const starts = Object.entries(mark.starts);
  if (!(seen.start in mark.starts) && starts.length < STARTS) return true;
  return starts.some(([start, position]) => !(start in seen.starts) && position < passed);
}

/** Whether a connection leads to where the database was before it was promoted. */
function isBehind(seen: Mark, mark: Mark): boolean {
  return seen.system !== null && seen.system === mark.system && mark.timeline < seen.timeline;
}

async function mayAskPosition(pool: pg.Pool): Promise<boolean> {
  return pool.query(`select ${POSITION}`).then(
    () => true,
    (error) => {
      if (REFUSED.has(error.code)) return false;
      throw error;
    },
  );
}

async function look(client: pg.ClientBase, mayAsk: boolean): Promise<Mark> {
  const { rows } = await client.query({
    text: mayAsk ? LOOK : LOOK_PLAINLY,
    query_timeout: PATIENCE,
  } as pg.QueryConfig);
  const { standby, recorded, system, timeline, position, start, starts } = rows[0];
  const name = mayAsk ? `${system}/${timeline}` : start;
  return { standby, recorded, name, system, timeline: parseInt(timeline, 16), position, start, starts: starts ?? {} };
}

/**
 * Has the database keep the name of its course and its start, and moves all ledgers on where it kept another name, or where
 * versions were lost that somebody has read.
 *
 * @param lost the highest epoch of versions that may be lost
 * @returns the epoch that new versions are in, and whether the ledgers were moved
 */
async function moveOn(
  client: pg.ClientBase,
  { name, start, position }: Mark,
  lost: number | undefined,
): Promise<{ epoch: number; moved: boolean }> {
  const run = (text: string, values: unknown[] = []) =>
    client.query({ text, values, query_timeout: MOVING } as pg.QueryConfig);
  await run('begin');
  try {
    await run(`set local statement_timeout = ${MOVING}`);
    await run(`insert into deployment (name, value) values ('course', ''), ('epoch', '0') on conflict do nothing`);
    const { rows } = await run(
      `select name, value from deployment where name in ('course', 'epoch') order by name for update`,
    );
    const [course, kept] = [rows[0].value as string, Number(rows[1].value)];
    const moved = (course !== '' && course !== name) || (lost !== undefined && kept <= lost);
    const epoch = moved ? Math.max(kept, lost ?? 0) + 1 : kept;
    if (moved) await run('update ledger set version = $1 where version < $1', [epoch * EPOCH]);
    await run(
      `update deployment d set value = u.value from (values ('course', $1), ('epoch', $2)) u (name, value)
        where d.name = u.name`,
      [name, String(epoch)],
    );
    await run('insert into deployment (name, value) values ($1, $2) on conflict do nothing', [
      start,
      `${position ?? 0}`,
    ]);
    await run(
      `delete from deployment where name in (
        select name from deployment where name like 'start/%' order by name desc offset ${STARTS})`,
    );
    await run('commit');
    return { epoch, moved };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Ends a connection, and with it what is asked over it, whether or not anybody is at the other end. */
function cut(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(error: Error): void } } };
  connection.stream.destroy(new Error('Connection terminated: the database has gone on from an earlier point'));
}
