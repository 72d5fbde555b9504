import type { RecordEnvelope, StoredProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { kinds } from '../../src/kinds/registry.js';
import { useOf } from '../../src/records/proofs.js';
import { auditLogs } from '../log/audit.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { type Dropped, dropped, dump, erase, erasingLedger, SECRET_NAME, tablesWith } from './support.js';

const server = withServer();

const DROPPABLE = kinds.filter(({ lifecycle }) => lifecycle.operations.includes('drop')).map(({ name }) => name);

describe('an erased record', () => {
  it.each(DROPPABLE)('leaves no text, no hash and no digest in any table: %s', async (name) => {
    const { url, database } = server.current;
    const client = await erasingLedger(url);
    const record = await dropped(client, name);
    const traces = tracesOf(record);
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

/** Everything by which the texts of a record could be known, in every form that a table might have them in. */
function tracesOf({ changes }: Dropped): string[] {
  const versions = changes as unknown as RecordEnvelope[];
  const proofs = versions.flatMap(({ meta }) => meta.proofs).filter(({ signer }) => signer !== 'system');
  const uses = proofs.map((proof: StoredProof) => useOf({ suite: native }, proof));
  const hashes = [
    ...new Set([...versions.map(({ hash }) => hash), ...allProofs(versions).map(({ digest }) => digest)]),
  ];
  return [
    SECRET_NAME,
    ...hashes.flatMap((hash) => [
      hash,
      Buffer.from(hash, 'hex').toString('base64'),
      Buffer.from(hash, 'hex').toString('base64url'),
    ]),
    ...uses.flatMap((use) => [use, use.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')]),
    ...allProofs(versions).map(({ result }) => result),
  ];
}

function allProofs(versions: readonly RecordEnvelope[]): StoredProof[] {
  return versions.flatMap(({ meta }) => meta.proofs);
}
