import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import { findNodes, isDistributed } from './distribution.js';

/** The nodes of a cluster, by the latest look at them. */
export interface NodeWatch {
  /** Addresses of those that do not answer: requests about their ledgers fail. */
  down(): readonly string[];
  /** Looks no more. */
  close(): void;
}

/**
 * Looks at the nodes of a cluster again and again; where the database is none, never. A look waits for a node that is gone: it holds up
 * nothing else.
 *
 * @param pause milliseconds between two looks
 */
export async function watchNodes(
  pool: pg.Pool,
  pause: number,
  logger: Pick<FastifyBaseLogger, 'info' | 'error'>,
): Promise<NodeWatch> {
  const closing = new AbortController();
  let down: readonly string[] = [];
  const look = async () => {
    const nodes = await findNodes(pool);
    const now = nodes.filter(({ isUp }) => !isUp).map(({ host, port }) => `${host}:${port}`);
    for (const node of now)
      if (!down.includes(node)) logger.error({ node }, 'a node of the cluster is down: its ledgers are not served');
    for (const node of down) if (!now.includes(node)) logger.info({ node }, 'a node of the cluster answers again');
    down = now;
  };
  const watch = async () => {
    while (!closing.signal.aborted) {
      // Where the coordinator is out of reach, readiness tells.
      await look().catch(() => {});
      await wait(pause, undefined, { ref: false, signal: closing.signal }).catch(() => {});
    }
  };
  if (await isDistributed(pool)) void watch();
  return { down: () => down, close: () => closing.abort() };
}
