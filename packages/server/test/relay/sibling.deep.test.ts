import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Sibling } from '../../src/http/relay/sibling.js';
import { siblingLimits } from '../../src/http/relay/sibling-limits.js';

const { calls, silence } = siblingLimits;
const head = { id: 'r', ledger: 'l', luid: 'i', url: '/', headers: {}, ip: '::1', hasUsedToken: false };
const call = { head, body: undefined, granted() {}, whenGone: () => () => {} };

it('a process that answers slowly is there as long as it says so, however many calls it has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-test-'));
  const path = join(folder, 's');
  let pings = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'HEAD') pings += 1;
    else await pause(1.5 * silence);
    response.setHeader('countersign-head', '{}').end();
  });
  server.listen({ path, backlog: calls.all });
  await once(server, 'listening');
  const sibling = new Sibling(
    path,
    () => performance.now(),
    () => {},
  );
  const outcomes = await Promise.all(Array.from({ length: calls.all }, () => sibling.ask(call)));
  expect(outcomes.filter((outcome) => typeof outcome === 'string')).toEqual([]);
  expect(pings).toBeGreaterThan(0);
  expect(await sibling.ask({ ...call })).toMatchObject({ status: 200 });
  await sibling.close();
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
