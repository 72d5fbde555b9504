import { parseEntriesPath, parseTilePath } from '@countersign/protocol/log';
import { expect, it } from 'vitest';
import { createTiles } from '../../src/log/tiles.js';
import { createPool } from '../../src/store/pool.js';
import { newLedger } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { auditLogs } from './audit.js';
import { LogReader } from './reading.js';

const server = withServer();

it('tiles are kept as they are read by clients: of their beginnings only the one that the tree ends with', async () => {
  const { url, database } = server.current;
  const client = await newLedger(url);
  await stored(client, 'wallet', { handle: 'w' });
  await auditLogs(database.url, client.ledger);
  const { origin, size } = await (await LogReader.of(client)).checkpoint();
  const [row] = await runSql<{ id: number }>(database.url, 'select id::int as id from ledger where handle = $1', [
    client.ledger,
  ]);
  const pool = createPool({ connectionString: database.url }, () => {});
  let asked = 0;
  pool.on('acquire', () => {
    asked += 1;
  });
  try {
    const { tile, entries } = createTiles(pool, (_, work) => work());
    const shown = { origin, size } as Parameters<typeof tile>[1];
    const read = async (width: number) => {
      asked = 0;
      expect(await tile(row!.id, shown, parseTilePath(`0/000.p/${width}`))).toBeDefined();
      expect(await entries(row!.id, shown, parseEntriesPath(`entries/000.p/${width}`))).toBeDefined();
      return asked > 0;
    };
    expect([await read(size), await read(size)]).toEqual([true, false]);
    for (let width = 1; width < size; width += 1) expect([await read(width), await read(width)]).toEqual([true, true]);
    expect(await read(size)).toBe(false);
  } finally {
    await pool.end();
  }
});
