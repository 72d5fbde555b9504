import type { RecordEnvelope } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { defectOf } from '../../src/integrity/verify.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { newLedger, systemKeyOf } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

it("the ledger's proof of a record is none of another with the same data", async () => {
  const client = await newLedger(server.current.url);
  const first = await stored(client, 'wallet', { handle: 'w' });
  ok(await client.drop('/wallets/w', first));
  const second = await stored(client, 'wallet', { handle: 'w' });
  expect([first.hash, first.luid === second.luid]).toEqual([second.hash, false]);
  const defect = (record: RecordEnvelope) =>
    defectOf(kindNamed('wallet'), second.luid, JSON.stringify(record), systemKeyOf(client), native);
  expect(defect(second)).toBeUndefined();
  expect(defect({ ...first, luid: second.luid })).toBe('has no proof of its ledger');
});
