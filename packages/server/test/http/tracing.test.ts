import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTracing } from '../../src/tracing/sdk.js';
import type { Tracing } from '../../src/tracing/tracing.js';
import { newKey, newLedger, signed } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { bearer } from '../support/token.js';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A receiver of OTLP over HTTP, and of webhooks. */
async function startReceiver() {
  const spans: Span[] = [];
  const calls: { path: string; traceparent: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.url === '/v1/traces') {
      for (const { scopeSpans } of JSON.parse(text).resourceSpans)
        for (const one of scopeSpans) spans.push(...one.spans);
    } else calls.push({ path: request.url ?? '', traceparent: request.headers.traceparent as string | undefined });
    response.end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, calls, url, close: () => server.close() };
}

describe('traces (operations/tracing)', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let server: RunningServer;
  let drawn = 0;

  const open = (logger = pino({ level: 'silent' })): Promise<Tracing> =>
    openTracing({
      ...{ endpoint: receiver.url, share: 0.5, serviceName: 'test', build: '0', instance: 'i', logger },
      random: () => drawn,
    });

  beforeAll(async () => {
    receiver = await startReceiver();
    server = await startServer({ tracing: await open(), deliveryAllowPrivate: true });
  });
  afterAll(async () => {
    await server.stop();
    receiver.close();
  });

  /** The spans of a trace, once there are as many; what the process holds back is sent after seconds. */
  const traceOf = (id: string, count: number) =>
    eventually(() => {
      const found = receiver.spans.filter(({ traceId }) => traceId === id);
      expect(found.length).toBeGreaterThanOrEqual(count);
      return found;
    });
  const ID = (digit: string) => digit.repeat(32);
  const parentOf = (digit: string, flags = '01') => ({ traceparent: `00-${ID(digit)}-${'b'.repeat(16)}-${flags}` });

  it('have the request, its decision and its commit, below the caller, and nothing that was sent', async () => {
    drawn = 0;
    const client = await newLedger(server.url);
    const body = { handle: 'secret-name', custom: { a: 'private' } };
    const headers = { ...parentOf('1'), ...bearer(client.key) };
    const answer = await client.call('POST', '/wallets?a=private', signed(body, client.key), headers);
    expect(answer.status).toBe(201);
    const spans = await traceOf(ID('1'), 3);
    const byName = new Map(spans.map((span) => [span.name, span]));
    const request = byName.get('POST /v2/wallets');
    expect(request?.parentSpanId).toBe('b'.repeat(16));
    expect(byName.get('decision')?.parentSpanId).toBe(request?.spanId);
    expect(byName.get('commit')?.parentSpanId).toBe(byName.get('decision')?.spanId);
    expect(request?.attributes).toContainEqual({ key: 'countersign.ledger', value: { stringValue: client.ledger } });
    expect(request?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } });
    expect(JSON.stringify(spans)).not.toMatch(/secret-name|private|Bearer/);
  });

  it('are of those requests alone that are drawn, whatever a client asks for', async () => {
    drawn = 0.7;
    const client = await newLedger(server.url);
    for (const flags of ['01', '00']) await client.get('/wallets', { ...bearer(client.key), ...parentOf('2', flags) });
    drawn = 0;
    await client.get('/wallets', { ...bearer(client.key), ...parentOf('3', '00') });
    await client.get('/wallets', { ...bearer(client.key), traceparent: 'nonsense' });
    await traceOf(ID('3'), 2);
    expect(receiver.spans.filter(({ traceId }) => traceId === ID('2'))).toEqual([]);
  });

  it('have what an intent waits for, and apart from it the batch that stores it with others', async () => {
    drawn = 0;
    const client = await newLedger(server.url);
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    await stored(client, 'wallet', { handle: 'w' });
    const claims = [{ action: 'issue', target: { handle: 'w' }, symbol: { handle: 'usd' }, amount: 1 }];
    const headers = parentOf('4');
    const answer = await client.call('POST', '/intents', signed({ handle: 'i', claims }, client.key), headers);
    expect(answer.status, answer.text).toBe(201);
    const spans = await traceOf(ID('4'), 3);
    expect(spans.map(({ name }) => name)).toContain('settle');
    const [batch] = await eventually(() => {
      const found = receiver.spans.filter(({ name }) => name === 'settle batch');
      expect(found).not.toEqual([]);
      return found;
    });
    expect(batch?.traceId).not.toBe(ID('4'));
    expect(batch?.parentSpanId ?? '').toBe('');
  });

  it('go on to bridges and to receivers of events', async () => {
    drawn = 0;
    const client = await newLedger(server.url);
    const action = { schema: 'webhook', endpoint: `${receiver.url}/hook` };
    await stored(client, 'effect', { handle: 'watch', signal: 'wallet-created', action });
    await stored(client, 'bridge', { handle: 'b', schema: 'rest', secure: [], config: { server: receiver.url } });
    const byBridge = { handle: 'by-bridge', signal: 'wallet-created', action: { schema: 'bridge', bridge: 'b' } };
    await stored(client, 'effect', byBridge);
    await stored(client.as(newKey()), 'wallet', { handle: 'w' });
    await eventually(() =>
      expect(receiver.calls.map(({ path }) => path).sort()).toEqual(['/effects/by-bridge', '/hook']),
    );
    for (const { path, traceparent = '' } of receiver.calls) {
      const [, traceId = '', spanId] = traceparent.split('-');
      const name = path === '/hook' ? 'delivery' : 'bridge call';
      expect(await traceOf(traceId, path === '/hook' ? 1 : 2)).toContainEqual(
        expect.objectContaining({ name, spanId }),
      );
    }
    await eventually(() => expect(receiver.spans.map(({ name }) => name)).toContain('seal'));
  });
});
