import { describe, expect, it } from 'vitest';
import { auditLogs } from '../log/audit.js';
import { testedKinds } from '../support/kinds.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { dropped, dump, erase, erasingLedger, tablesWith, tracesOf } from './support.js';

const server = withOwnServer();

const DROPPABLE = testedKinds.filter(({ lifecycle }) => lifecycle.erasable === 'dropped').map(({ name }) => name);

describe('an erased record', () => {
  it.each(DROPPABLE)('leaves no text, no hash and no digest in any table: %s', async (name) => {
    const { url, database } = server.current;
    const client = await erasingLedger(url);
    const record = await dropped(client, name, undefined, () => runSql(database.url, 'analyze'));
    const traces = tracesOf(record.changes);
    expect(tablesWith(await dump(database.url), traces).length).toBeGreaterThan(0);
    ok(await erase(client, record));
    await auditLogs(database.url);
    const left = await dump(database.url);
    expect(tablesWith(left, traces)).toEqual([]);
    // The examples name what they need after themselves; a member of a circle has no handle of its own.
    if (name === 'circle-signer') return;
    const handle = new RegExp(`${name}-gone(?![-\\w])`);
    expect([...left].filter(([, rows]) => rows.some((row) => handle.test(row))).map(([table]) => table)).toEqual([]);
  });
});
