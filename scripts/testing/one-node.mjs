/**
 * Statements of servers that read over several nodes of a cluster, by a part of their text, and why each may. All others are about one
 * ledger, and so about one node: a node that is down, and how many there are, is nothing to them.
 */
const OVER_NODES = [
  ['/* reachable ', 'discovers, or counts, work of all ledgers: it is claimed, and done, by ledger'],
  ['id from ledger where owners @> array[$1::text]', 'lists the ledgers of one owner, wherever they are'],
  ['/* of one node */', 'reads shards of one node alone, which has gone on from an earlier point'],
  ['count(*)::int as stopped from log where stopped is not null', 'counts stopped logs for /health'],
];

/** What the coordinator logs for each statement over several shards, with `citus.multi_task_query_log_level`. */
const LOGGED =
  /^.* countersign LOG: {2}multi-task query about to be executed\n(?:.* HINT: .*\n)?.* STATEMENT: {2}((?:.*\n)(?:\t.*\n)*)/gm;

/** Settings by which a coordinator tells of such statements. */
export const TELLING = ["log_line_prefix = '%m [%p] %a '", 'citus.multi_task_query_log_level = log'];

/**
 * The statements of servers that were over several nodes, and are not in the list.
 *
 * @param log of the coordinator
 * @returns each once, on one line
 */
export function findUnlisted(log) {
  const texts = [...log.matchAll(LOGGED)].map(([, text]) => text.replaceAll(/\s+/g, ' ').trim());
  return [...new Set(texts)].filter((text) => !OVER_NODES.some(([part]) => text.includes(part)));
}
