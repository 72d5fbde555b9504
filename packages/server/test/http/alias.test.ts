import { describe, expect, it } from 'vitest';
import { bodyLimits } from '../../src/http/bodies/body-limits.js';
import { expectRefusal } from '../support/checks.js';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';

const server = withServer();

describe('errors of /ledgers/{handle} (interface/errors, interface/ledgers#the-record-of-a-ledger)', () => {
  it('are signed by the ledger of the path, also those that come before it is asked for', async () => {
    const client = await newLedger(server.current.url);
    const outside = client.in(undefined);
    const path = `/ledgers/${client.ledger}`;
    const over = `{"a":"${'x'.repeat(bodyLimits.bytes)}"}`;
    const tooLarge = await outside.call('PUT', path, over);
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body.meta.proofs).toHaveLength(1);
    const malformed = await outside.call('PUT', path, '{');
    expectRefusal(malformed, client, 'api.body-malformed', 'Malformed JSON body');
  });

  it('are of the ledger of the path, as answers are, whatever ledger the header names', async () => {
    const [one, other] = [await newLedger(server.current.url), await newLedger(server.current.url)];
    const path = `/ledgers/${one.ledger}`;
    expect((await other.get(path)).body).toEqual((await one.get('/ledger')).body);
    const malformed = await other.call('PUT', path, '{');
    expectRefusal(malformed, one, 'api.body-malformed', 'Malformed JSON body');
  });

  it('are unsigned where there is no such ledger', async () => {
    const outside = (await newLedger(server.current.url)).in(undefined);
    const over = `{"a":"${'x'.repeat(bodyLimits.bytes)}"}`;
    const answer = await outside.call('PUT', '/ledgers/ghost', over);
    expectRefusal(answer, outside, 'api.route-not-found', 'Server does not host requested ledger');
  });
});
