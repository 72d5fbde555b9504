import { expect, it } from 'vitest';
import type { Rule } from '../../src/access/rules.js';
import { parseServerRules } from '../../src/access/server-rules.js';
import { newKey, signed, TestClient, type TestKey } from '../support/client.js';
import { blockOf } from '../support/page.js';
import { startServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { outcome } from './support.js';

/** The key that the examples name. */
const NAMED = '6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=';

const bySigner = blockOf('tenants', '[\n  {"action": "create", "record": "ledger", "signer"');
const byToken = blockOf('tenants', '[\n  {"action": "create", "record": "ledger", "bearer"');

/** The rules of an example of docs/operations/tenants.md, for another key. */
function rulesOf(example: string, { public: key }: TestKey): readonly Rule[] {
  expect(example).toContain(NAMED);
  return parseServerRules(example.replace(NAMED, key));
}

/** Makes a ledger with a key, by a token. */
async function make(url: string, handle: string, key: TestKey, headers: Record<string, string> = {}) {
  return new TestClient(url).call('POST', '/ledgers', signed({ handle, signer: 'system' }, key), headers);
}

it('only the key that SERVER_ACCESS_RULES names makes ledgers, and everybody reads their records', async () => {
  const operator = newKey();
  const server = await startServer({ serverRules: rulesOf(bySigner, operator) });
  expect(outcome(await make(server.url, 'stranger', newKey()))).toBe('403 Cannot create ledger.');
  expect(outcome(await make(server.url, 'stranger', newKey(), bearer(operator)))).toBe('403 Cannot create ledger.');
  const made = await make(server.url, 'acme', operator);
  expect([made.status, made.body.meta.owners]).toEqual([201, [operator.public]]);
  expect((await new TestClient(server.url, newKey(), 'acme').get('/ledger')).status).toBe(200);
  await server.stop();
});

it('whoever has a token of the key that SERVER_ACCESS_RULES names makes a ledger, and owns it; with jti one', async () => {
  const operator = newKey();
  const server = await startServer({ serverRules: rulesOf(byToken, operator) });
  const invited = newKey();
  expect(outcome(await make(server.url, 'uninvited', invited))).toBe('403 Cannot create ledger.');
  expect(outcome(await make(server.url, 'uninvited', invited, bearer(invited)))).toBe('403 Cannot create ledger.');
  const invitation = bearer(operator, { jti: 'invitation-1' });
  const made = await make(server.url, 'acme', invited, invitation);
  expect([made.status, made.body.meta.owners]).toEqual([201, [invited.public]]);
  expect((await make(server.url, 'second', invited, invitation)).status).toBe(401);
  // The operator has no right in it.
  const asOperator = new TestClient(server.url, operator, 'acme');
  expect(outcome(await asOperator.create('/wallets', { handle: 'w' }))).toBe('403 Cannot create wallet.');
  await server.stop();
});
