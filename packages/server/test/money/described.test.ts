import { beforeAll, expect, it } from 'vitest';
import { Description } from '../http/description.js';
import { withServer } from '../support/server.js';
import { limit, MoneyScene, transfer } from './scene.js';

const server = withServer();
let described: Description;
beforeAll(async () => {
  described = await Description.of(server.current.url);
});

it('the OpenAPI document describes what processing makes', async () => {
  const jar = { handle: 'jar', routes: [{ action: 'forward', target: 'bob' }] };
  const money = await MoneyScene.make(server.current.url, ['alice', 'bob', jar]);
  await money.issue('alice', 10);
  const handle = await money.done([transfer('alice', 'jar', 4)]);
  await money.done([limit('alice', 'minBalance', -5)]);
  await money.rejected([transfer('alice', 'bob', 100)]);
  const { body } = await money.client.get('/intents');
  expect(body.data.map(({ data }: { data: { origin?: string } }) => data.origin)).toContain(handle);
  for (const path of [
    '/intents',
    ...body.data.map(({ luid }: { luid: string }) => `/intents/${luid}`),
    `/intents/${handle}/changes`,
    '/wallets/alice/balances',
    '/wallets/bob/balances',
    '/wallets/alice/limits',
  ]) {
    const answer = await money.client.get(path);
    expect(answer.status, answer.text).toBe(200);
    expect(described.answerErrors('GET', path, 200, answer.body), path).toBeUndefined();
  }
});
