import { expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

it('a ledger holds only so many rules, and everything else beside them', { timeout: 20_000 }, async () => {
  const client = await newLedger(server.current.url);
  const domain = (handle: string, characters: number) => ({ handle, custom: { text: 'x'.repeat(characters) } });
  const many = 1_000_000;
  let made = ok(await client.create('/domains', domain('d-0', many))).body;
  for (let number = 1; number < Math.floor(limits.state / many); number += 1) {
    ok(await client.create('/domains', domain(`d-${number}`, many)));
  }
  const refused = `Policies, domains and schemas of a ledger may hold ${limits.state} characters together`;
  expectRefusal(await client.create('/domains', domain('one-more', many)), client, 'record.invalid', refused);
  expect((await client.get('/domains/one-more')).status).toBe(404);
  ok(await client.create('/domains', domain('small', 10)));
  ok(await client.create('/wallets', domain('other', many)));
  made = ok(await client.update('/domains/d-0', made, domain('d-0', 10))).body;
  ok(await client.create('/domains', domain('one-more', many)));
  expectRefusal(await client.update('/domains/d-0', made, domain('d-0', many)), client, 'record.invalid', refused);
});
