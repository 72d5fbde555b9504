import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { NO_NODES, type NodeGuard } from './guard.js';

/** Reasons that are told of one node, while it cannot be examined. */
const MOST_REASONS = 8;

/** The nodes of a cluster, by the latest look at them. */
export interface NodeWatch {
  /** Addresses of those that do not answer: requests about their ledgers fail. */
  down(): readonly string[];
  /** Looks no more. */
  close(): void;
}

/**
 * Looks at the nodes of a cluster again and again; where the database is none, never. A look waits a while for a node that is silent, and
 * so does what is told of the others.
 *
 * @param pause milliseconds between two looks
 */
export function watchNodes(
  guard: NodeGuard,
  pause: number,
  logger: Pick<FastifyBaseLogger, 'info' | 'error'>,
): NodeWatch {
  const closing = new AbortController();
  let down: readonly string[] = [];
  /** Reasons that were told of a node since it could be examined last: the first one may be that it only takes long. */
  let failing = new Map<string, Set<string>>();
  const look = async () => {
    const nodes = await guard.look();
    const away = nodes.filter(({ isUp }) => !isUp);
    const now = away.map(({ address }) => address);
    for (const { address: node, why } of away)
      if (!down.includes(node))
        logger.error({ node, why }, 'a node of the cluster is down: its ledgers are not served');
    for (const node of down) if (!now.includes(node)) logger.info({ node }, 'a node of the cluster answers again');
    down = now;
    const failed = nodes.filter(({ failure }) => failure !== undefined);
    failing = new Map(failed.map(({ address }) => [address, failing.get(address) ?? new Set()]));
    for (const { address: node, failure: err } of failed) {
      const told = failing.get(node)!;
      if (told.has(String(err)) || told.size >= MOST_REASONS) continue;
      told.add(String(err));
      logger.error(
        { node, err },
        'a node of the cluster could not be examined: its ledgers are not served until it is',
      );
    }
  };
  const watch = async () => {
    while (!closing.signal.aborted) {
      // Where the coordinator is out of reach, readiness tells.
      await look().catch(() => {});
      await wait(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  };
  if (guard !== NO_NODES) void watch();
  return { down: () => down, close: () => closing.abort() };
}
