import { expect, it } from 'vitest';
import { stateLimits } from '../../src/ledgers/state-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

it('a ledger holds only so many rules, and everything else beside them', async () => {
  const client = await newLedger(server.current.url);
  const domain = (handle: string, characters: number) => ({ handle, custom: { text: 'x'.repeat(characters) } });
  const many = 1_000_000;
  let made = ok(await client.create('/domains', domain('d-0', many))).body;
  for (let number = 1; number < Math.floor(stateLimits.characters / many); number += 1) {
    ok(await client.create('/domains', domain(`d-${number}`, many)));
  }
  const refused = `Policies, domains, schemas and effects of a ledger may hold ${stateLimits.characters} characters together`;
  expectRefusal(await client.create('/domains', domain('one-more', many)), client, 'record.invalid', refused);
  expect((await client.get('/domains/one-more')).status).toBe(404);
  ok(await client.create('/domains', domain('small', 10)));
  ok(await client.create('/wallets', domain('other', many)));
  made = ok(await client.update('/domains/d-0', made, domain('d-0', 10))).body;
  ok(await client.create('/domains', domain('one-more', many)));
  expectRefusal(await client.update('/domains/d-0', made, domain('d-0', many)), client, 'record.invalid', refused);
});

it('what is in domains leaves room for what is the ledger’s own', async () => {
  const client = await newLedger(server.current.url);
  const policy = (handle: string, characters: number) => ({
    handle,
    schema: 'labels',
    values: [],
    custom: { text: 'x'.repeat(characters) },
  });
  ok(await client.create('/domains', { handle: 'sales' }));
  const weight = async () => {
    const { ledgers, store } = server.current.server.service;
    const ledger = await ledgers.resolve(client.ledger ?? '');
    return (await ledgers.renew(ledger, await store.ledgers.version(ledger.id))).weight;
  };
  const most = 900_000;
  for (let number = 0; (await weight()) < stateLimits.forDomains - most; number += 1) {
    ok(await client.create('/policies', policy(`p-${number}@sales`, most - 5_000)));
  }
  const left = stateLimits.forDomains - (await weight()) - JSON.stringify(policy('last@sales', 0)).length;
  const refused = `Policies, domains, schemas and effects of a ledger may hold ${stateLimits.forDomains} characters together when one in a domain is added`;
  expectRefusal(await client.create('/policies', policy('last@sales', left + 1)), client, 'record.invalid', refused);
  const last = ok(await client.create('/policies', policy('last@sales', left))).body;
  expectRefusal(await client.create('/policies', policy('more@sales', 1)), client, 'record.invalid', refused);
  ok(await client.create('/policies', policy('own', most)));
  ok(await client.update('/policies/last@sales', last, policy('last@sales', 0)));
});
