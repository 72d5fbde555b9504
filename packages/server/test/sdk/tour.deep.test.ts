import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { withServer } from '../support/server.js';
import { runTour } from './tour.js';

const server = withServer({ deliveryAllowPrivate: true });
const guarded = withServer();
const between: Server[] = [];

afterEach(async () => {
  for (const one of between.splice(0)) await new Promise((resolve) => one.close(resolve));
});

/** Stands between the tour and the server, and may alter what comes back. @returns its URL */
async function altering(alter: (text: string, status: number) => { text: string; status?: number }): Promise<string> {
  const proxy = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '', headers } = incoming;
    const ledger = headers['x-ledger'];
    const body = method === 'GET' ? undefined : Buffer.concat(await incoming.toArray());
    const response = await fetch(new URL(url, server.current.url), {
      method,
      headers: { 'content-type': 'application/json', ...(typeof ledger === 'string' ? { 'x-ledger': ledger } : {}) },
      ...(body === undefined ? {} : { body }),
    });
    const { text, status = response.status } = alter(await response.text(), response.status);
    outgoing.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : text);
  });
  between.push(proxy);
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v2`;
}

describe('the tour', () => {
  it('ends well against a server that does as it should', async () => {
    const { code, out, err } = await runTour(await altering((text) => ({ text })));
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out.trimEnd()).toMatch(/All as expected\.$/);
  });

  it('says what to set where the server calls public addresses only, and goes on', async () => {
    const { code, out, err } = await runTour(guarded.current.url);
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toContain('DELIVERY_ALLOW_PRIVATE=true npm start');
    expect(out.trimEnd()).toMatch(/All as expected\.$/);
  });

  it.each<[string, Parameters<typeof altering>[0], string]>([
    [
      'data that was altered',
      (text) => ({ text: text.replace('"tier":"gold"', '"tier":"gold","extra":1') }),
      'the hash is not that of the data',
    ],
    [
      'a proof that was altered',
      (text) => ({ text: text.replace('"status":"active"}', '"status":"active","more":1}') }),
      'is not good',
    ],
    [
      'a write that the rules refuse, let through',
      (text, status) => ({ text, status: status === 403 ? 201 : status }),
      'instead of 403',
    ],
    ['a page instead of an answer', () => ({ text: '<html></html>' }), 'The answer is not JSON'],
  ])('ends with 1 at %s', async (_, alter, message) => {
    const { code, out, err } = await runTour(await altering(alter));
    expect(err).toContain(message);
    expect(code).toBe(1);
    expect(out).not.toContain('All as expected.');
  });

  it('says what to do when no server runs, or the address is none', async () => {
    const { code, err } = await runTour('http://127.0.0.1:9/v2');
    expect(err).toContain('No server answers at http://127.0.0.1:9/v2');
    expect(err).toContain('npm start');
    expect(code).toBe(1);
    expect(await runTour('ledger')).toMatchObject({
      code: 1,
      err: expect.stringContaining('"ledger" is not the address'),
    });
  });
});
