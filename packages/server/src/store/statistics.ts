/** Changed rows from which on tables are analyzed: with fewer of them any plan is quick. */
const FEWEST = 200;

/**
 * SQL: whether most rows are new to PostgreSQL's statistics. In an empty table every index that begins with the ledger
 * looks as good as another, and in a small one a sequential scan looks best; connections keep the plans they made then.
 * At 24,000 records an update then read all of its ledger, and took 4 ms instead of 1. By default autovacuum looks only
 * once a minute. With new statistics all plans are made again.
 *
 * Busy connections report their changes once a second, idle ones after ten seconds.
 */
export const STATISTICS_DUE = `exists (
  select from pg_stat_user_tables
  where relid = 'record'::regclass and n_mod_since_analyze >= ${FEWEST} and n_mod_since_analyze * 2 >= n_live_tup)`;

/** With the rights of whoever owns the tables: the role that serves may have fewer. */
export const ANALYZE = 'select renew_statistics_1()';
