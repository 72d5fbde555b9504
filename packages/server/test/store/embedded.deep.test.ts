import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.js';
import { databaseLimits } from '../../src/store/database-limits.js';
import { countAllConnections, countConnections, startEmbedded } from '../../src/store/embedded.js';
import { createPool } from '../../src/store/pool.js';

describe('the connections of all processes', () => {
  it.each([1, 8, 64])('fit into the embedded PostgreSQL, with another process and operators: WORKERS=%i', (workers) => {
    expect(parseConfig({ WORKERS: `${workers}` }).workers).toBe(workers);
    const { lists, leases, hints, others } = databaseLimits.connections;
    expect(countConnections()).toBeGreaterThanOrEqual(lists + leases + hints + others);
    expect(countAllConnections(workers) - (workers + 1) * countConnections()).toBe(databaseLimits.spareConnections);
  });

  it('have that room in the one that is started', async () => {
    const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'countersign-connections-')));
    const embedded = await startEmbedded({ dataDir, workers: 9, log: () => {} });
    const pool = createPool({ connectionString: embedded.url, max: 1 }, () => {});
    try {
      const { rows } = await pool.query('show max_connections');
      expect(Number(rows[0].max_connections)).toBe(countAllConnections(9));
    } finally {
      await pool.end();
      await embedded.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 120_000);

  it('are told to operators as they are', async () => {
    const operations = await readFile(new URL('../../../../docs/operations/database.md', import.meta.url), 'utf8');
    expect(operations).toContain(`up to ${countConnections()} connections for each of its processes`);
  });
});
