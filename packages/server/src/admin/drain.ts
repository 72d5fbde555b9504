import { hostname } from 'node:os';
import type pg from 'pg';
import { Type } from 'typebox';
import { DRAIN, EVERY_HOST } from '../store/deployment/drain.js';
import { SEEN_WITHIN } from '../store/deployment/presence.js';
import { untilNone } from '../store/deployment/processes.js';
import { transaction } from '../store/transaction.js';
import { choice, defineOperation } from './operation.js';
import { AdminRefused, WrongCall } from './refusals.js';

/** Which servers are drained. */
export interface DrainState {
  /** The host that was asked for, or `*` for all. */
  readonly host: string;
  readonly servers: readonly ServerState[];
  /** Processes that have not confirmed it, and have work under way still, by host and name. */
  readonly unconfirmed: readonly string[];
}

/** The processes of one host: none where it is drained and down. */
export interface ServerState {
  readonly host: string;
  readonly processes: number;
  /** Of these, those that have handed over all. */
  readonly drained: number;
  /** Since when an operator drains it, ISO 8601; null where it serves. */
  readonly since: string | null;
}

/** Drains the processes of a host, or goes on with them. Returns once each has confirmed it. */
export const drain = defineOperation({
  input: Type.Object(
    {
      // Only looked at unless given.
      mode: Type.Optional(choice(['on', 'off'])),
      // That of this server unless given.
      host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      isAll: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  changes: ({ mode }) => mode !== undefined,
  async run({ onDatabase, now }, { mode, host: named, isAll = false }) {
    if (isAll && named !== undefined) throw new WrongCall('Either a host is drained, or all are.');
    const host = isAll ? EVERY_HOST : (named ?? hostname());
    return onDatabase(async ({ pool }): Promise<DrainState> => {
      if (mode !== undefined) await setDrain(pool, host, mode === 'on' ? new Date(now()).toISOString() : undefined);
      const unconfirmed =
        mode === undefined ? [] : await untilNone(pool, mode === 'on' ? NOT_DRAINED : DRAINED, host, () => false);
      return { host, servers: await findServers(pool), unconfirmed };
    });
  },
});

const OF_HOST = `($2::text in (host, '${EVERY_HOST}'))`;
const NOT_DRAINED = `${OF_HOST} and not is_drained`;
const DRAINED = `${OF_HOST} and is_drained`;

/** The number of the advisory lock, unique to this use: of two that drain the last servers at once, one is refused. */
const DRAIN_LOCK = 7_260_413;

/** @param since undefined to end it */
function setDrain(pool: pg.Pool, host: string, since: string | undefined): Promise<void> {
  return transaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [DRAIN_LOCK]);
    const servers = await findServers(client);
    const isAll = host === EVERY_HOST;
    if (!isAll && !servers.some((one) => one.host === host)) throw unknownHost(host, servers);
    if (since === undefined) {
      const all = await client.query('select from deployment where name = $1', [DRAIN + EVERY_HOST]);
      if (!isAll && all.rowCount !== 0) throw new AdminRefused('All servers are drained: --all --undo has them go on.');
      // Those of single hosts as well: all are to serve.
      await client.query('delete from deployment where name = $1 or ($2 and name like $3)', [
        DRAIN + host,
        isAll,
        `${DRAIN}%`,
      ]);
      return;
    }
    if (!isAll && !servers.some((one) => one.host !== host && one.since === null))
      throw new AdminRefused('No other server would be left to serve: --all drains all.');
    await client.query('insert into deployment (name, value) values ($1, $2) on conflict (name) do nothing', [
      DRAIN + host,
      since,
    ]);
  });
}

function unknownHost(host: string, servers: readonly ServerState[]): WrongCall {
  const running = servers.filter(({ processes }) => processes > 0);
  const known = running.map((one) => one.host).join(', ') || 'none';
  return new WrongCall(`No server of this deployment runs at ${host}; those that run: ${known}.`);
}

async function findServers(on: pg.Pool | pg.PoolClient): Promise<ServerState[]> {
  const { rows } = await on.query<ServerState>(
    `with host as (
       select p.host, count(*)::int as processes, (count(*) filter (where p.is_drained))::int as drained
       from process p where p.seen > clock_timestamp() - make_interval(secs => $1) group by p.host
       union all
       select substr(d.name, length($2) + 1), 0, 0 from deployment d
       where starts_with(d.name, $2) and d.name <> $2 || '${EVERY_HOST}' and not exists (
         select from process p where $2 || p.host = d.name and p.seen > clock_timestamp() - make_interval(secs => $1))
     )
     select h.*, (select min(d.value) from deployment d where d.name in ($2 || h.host, $2 || '${EVERY_HOST}')) as since
     from host h order by h.host`,
    [SEEN_WITHIN, DRAIN],
  );
  return rows;
}
