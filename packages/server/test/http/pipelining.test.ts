import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { requestLimits } from '../../src/http/request-limits.js';
import { newLedger, signed } from '../support/client.js';
import { withServer } from '../support/server.js';
import { requestText } from './raw.js';

const server = withServer();

/** Sends requests in one packet; gives the statuses that came back until all had, or the connection closed. */
function pipelined(requests: readonly Buffer[]): Promise<number[]> {
  const { hostname, port } = new URL(server.current.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.concat(requests)));
    let received = '';
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (statuses().length === requests.length) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(statuses()));
  });
}

describe('requests sent without waiting for answers', () => {
  it('are begun one after the other: what comes next finds what came before', async () => {
    const client = await newLedger(server.current.url);
    const headers = { 'x-ledger': client.ledger ?? '' };
    const requests = Array.from({ length: 10 }, (_, i) => {
      const body = JSON.stringify(signed({ handle: `w-${i}` }, client.key));
      const create = requestText('POST /v2/wallets', { ...headers, 'content-type': 'application/json' }, body);
      return [create, requestText(`GET /v2/wallets/w-${i}`, headers)];
    }).flat();
    expect(await pipelined(requests)).toEqual(Array.from({ length: 10 }, () => [201, 200]).flat());
  });

  it('wait in a line of bounded length', async () => {
    const client = await newLedger(server.current.url);
    const one = requestText('GET /v2/wallets/none', { 'x-ledger': client.ledger ?? '' });
    const most = Array<Buffer>(1 + requestLimits.clients.pipelined).fill(one);
    expect(await pipelined(most)).toEqual(most.map(() => 404));
    expect((await pipelined([...most, one])).length).toBeLessThanOrEqual(1);
    expect((await client.get('/wallets')).status).toBe(200);
  });
});
