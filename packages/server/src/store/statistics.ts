/** Changed rows without which nothing is analyzed: with fewer of them any plan is quick. */
const FEWEST = 200;

/**
 * SQL: whether most rows are new to PostgreSQL's statistics. With nothing in the tables every index that begins with the
 * ledger seems as good as another, with little in them none seems needed, and connections keep the plans they made then: at
 * 24,000 records an update read all of its ledger for it, 4 ms instead of 1. Left to itself PostgreSQL looks once in a
 * minute, unless it is told otherwise; with new statistics all plans are made anew.
 *
 * Connections report what they changed once in a second while they are busy, and after ten seconds when they are not.
 */
export const STATISTICS_DUE = `exists (
  select from pg_stat_user_tables
  where relid = 'record'::regclass and n_mod_since_analyze >= ${FEWEST} and n_mod_since_analyze * 2 >= n_live_tup)`;

export const ANALYZE = 'analyze record, change';
