import type { Signed } from '@countersign/client';
import { expect, it } from 'vitest';
import { everyKind } from '../../server/test/archive/every-kind.js';
import { changesIn } from '../../server/test/archive/served.js';
import { exported } from '../../server/test/archive/support.js';
import { systemKeyOf } from '../../server/test/support/client.js';
import { ok } from '../../server/test/support/scene.js';
import { withServer } from '../../server/test/support/server.js';
import { bearer } from '../../server/test/support/token.js';
import { judgeVersions } from '../src/verify/history.js';

const server = withServer();

it('the history of every record of every kind is whole, as a ledger serves it', async () => {
  const { client } = await everyKind(server.current.url);
  const text = await exported(server.current, client.ledger!);
  const records = new Map(changesIn(text).map(({ kind, luid, path }) => [luid, { kind, path }]));
  const actions = new Set<unknown>();
  for (const [luid, { kind, path }] of records) {
    const answer = await client.get(`${path}/changes?page.limit=1000`, bearer(client.key));
    const versions = ok(answer).body.data as Signed[];
    const { findings, isWhole } = judgeVersions(kind, versions, false, systemKeyOf(client));
    expect({ kind, luid, findings, isWhole }).toEqual({ kind, luid, findings: [], isWhole: true });
    for (const { meta } of versions) actions.add(meta.action);
  }
  expect(new Set([...records.values()].map(({ kind }) => kind)).size).toBeGreaterThan(12);
  expect([...actions].sort()).toEqual(['create', 'drop', 'update']);
});
