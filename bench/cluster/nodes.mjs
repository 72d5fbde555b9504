import { readFileSync } from 'node:fs';
import pg from 'pg';
import { usageOf } from '../usage.mjs';

const NODES = `select nodename as host, nodeport as port, groupid as group from pg_dist_node order by groupid`;

const LEDGERS = `select p.groupid as group, count(*)::int as ledgers
  from ledger l join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('change'::regclass, l.id) group by 1`;

/**
 * The PostgreSQL servers of this machine that a database is spread over: one where it is no cluster.
 *
 * @returns `[{ name, ledgers, pid }]`, the coordinator first: how many ledgers each has, and its first process
 */
export async function findNodes(url) {
  return withClient(url, async (client) => {
    const { rows: has } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (has.length === 0) {
      const { rows } = await client.query('select count(*)::int as ledgers from ledger');
      return [{ name: 'PostgreSQL', ledgers: rows[0].ledgers, pid: await firstProcess(client) }];
    }
    const { rows: nodes } = await client.query(NODES);
    const { rows: counts } = await client.query(LEDGERS);
    return Promise.all(
      nodes.map(async ({ host, port, group }, at) => ({
        name: at === 0 ? 'coordinator' : `worker ${at}`,
        ledgers: counts.find((one) => one.group === group)?.ledgers ?? 0,
        pid: await withClient(Object.assign(new URL(url), { hostname: host, port }).href, firstProcess),
      })),
    );
  });
}

/** Milliseconds of processor time of a node so far, with what its ended processes took. */
export function timeOf({ pid }) {
  return usageOf({ pid })?.database;
}

/** The postmaster of this connection. */
async function firstProcess(client) {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const [, , rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8'));
  return Number(rest.split(' ')[1]);
}

async function withClient(url, work) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
