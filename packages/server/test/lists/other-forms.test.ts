import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';

const server = withServer();

const FILTERS = 'write a filter as data.handle=x or data.handle.$in[0]=x';
const PAGES = 'write page.index=0 and page.limit=20';

describe('a form of filters or pages that other services take', () => {
  it.each([
    ['filter[handle]=w1', "'filter[handle]'", FILTERS],
    ['filter={"handle":"w1"}', "'filter'", FILTERS],
    ['filter.handle=w1&filters[a]=b&filters[a]=c', "'filter.handle', 'filters[a]'", FILTERS],
    ['page={"limit":1}', "'page'", PAGES],
    ['limit=1', "'limit'", PAGES],
    ['index=1&page[limit]=5', "'index'", PAGES],
    ['page[size]=1&page.number=2&page.limit=5', "'page[size]', 'page.number'", PAGES],
  ])('is refused, with the form that is taken here | %s', async (query, named, form) => {
    const client = await newLedger(server.current.url);
    await stored(client, 'wallet', { handle: 'w1' });
    for (const path of ['/wallets', '/wallets/w1/changes', '/policies', '/wallets/w1/balances']) {
      const answer = await client.get(`${path}?${encodeURI(query)}`);
      expectRefusal(answer, client, 'api.query-malformed', `Unsupported parameters: ${named}; ${form}`);
    }
  });

  it('is ignored where there is no list', async () => {
    const client = await newLedger(server.current.url);
    await stored(client, 'wallet', { handle: 'w1' });
    expect((await client.get('/wallets/w1?limit=1&filter[a]=b')).status).toBe(200);
  });
});
