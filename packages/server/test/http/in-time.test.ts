import { describe, expect, it } from 'vitest';
import { createPool } from '../../src/store/pool.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger, signed } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

describe('a request that takes longer than it may', () => {
  it('is answered in time all the same, and may be done afterwards: sent again it tells', async () => {
    const client = await newLedger(server.current.url);
    const pool = createPool({ connectionString: server.current.database.url }, () => {});
    const other = await pool.connect();
    const body = signed({ handle: 'd' }, client.key);
    const { service } = server.current.server;
    const patience = service.requestTimeout;
    try {
      await other.query('begin');
      await other.query('select from ledger where handle = $1 for update', [client.ledger]);
      // Its commit waits for as long as the other holds the ledger, which is until it has been answered.
      Object.assign(service, { requestTimeout: 2_000 });
      const answer = await client.call('POST', '/domains', body);
      const detail = 'The request took too long. It may or may not have been processed; sending it again is safe.';
      expectRefusal(answer, client, 'api.request-timeout', detail);
      await other.query('commit');
    } finally {
      Object.assign(service, { requestTimeout: patience });
      other.release(true);
      await pool.end();
    }
    const again = ok(await client.call('POST', '/domains', body));
    expect((await client.get('/domains')).body.data).toEqual([again.body]);
  });
});
