import type { ServerOptions } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mtls } from '../bridges/scene.js';
import { addWebhook } from '../deliveries/scene.js';
import { oauthLedger, rsa, spki } from '../oauth/scene.js';
import { issueCertificate, makeAuthority } from '../support/certificates.js';
import { newLedger, OPEN, signed, type TestClient } from '../support/client.js';
import { dsaPem } from '../support/crafted-keys.js';
import { eventually } from '../support/eventually.js';
import { hostileChain } from '../support/hostile-chain.js';
import { withSecret } from '../support/scene.js';
import { type Elsewhere, startElsewhere } from './elsewhere.js';
import { type Field, startField } from './field.js';
import { greatest, quantile, REFUSED } from './sampler.js';
import type { Attack } from './shapes.js';

/**
 * Milliseconds of processor time that a turn of the loop may take. The slowest takes 200 alone: a handshake with certificates that fill
 * its bytes. Without bounds, these attacks took from a second to a minute.
 */
const STRETCH = 500;

/** How long an attack goes on, and how long the service is left alone around it: how quick its reads are then is asked for only alone. */
const { milliseconds, rest, between } = process.env.LONG_TESTS
  ? { milliseconds: 4_000, rest: 1_500, between: 5 }
  : { milliseconds: 2_000, rest: 200, between: 25 };

/** Reads that take longer than this while nothing else is asked of the service, in milliseconds, show a machine that is busy. */
const BUSY = 8;

/** What a stranger stores and sends while another tenant reads, `at` so many requests at a time. */
type Stranger = Omit<Attack, 'prepare'> & {
  readonly at: number;
  prepare(url: string, elsewhere: Elsewhere): Promise<() => Promise<unknown>>;
};

let made = 0;
function createWallet(client: TestClient, custom: JsonObject = {}) {
  made += 1;
  return client.create('/wallets', { handle: `w-${made}`, custom });
}

/** What sends a body ten times a second, which the ledger refuses for what it holds. One was enough, where it was not refused. */
async function refused(client: TestClient, path: string, body: JsonObject): Promise<() => Promise<unknown>> {
  expect((await client.call('POST', path, body)).status).toBe(422);
  return () => Promise.all([client.call('POST', path, body), pause(100)]);
}

/** A write every half second, and an event for each of so many hosts. Before handshakes were bounded, one write sufficed. */
function oneWrite(name: string, options: () => ServerOptions): Stranger {
  return {
    name,
    at: 1,
    async prepare(url, elsewhere) {
      const client = await newLedger(url, { access: OPEN });
      for (const [index, port] of (await elsewhere.host(24, options())).entries()) {
        await addWebhook(client, `hook-${index}`, `https://127.0.0.1:${port}/`);
      }
      return async () => {
        const before = elsewhere.handshakes();
        await createWallet(client);
        await Promise.all([eventually(() => expect(elsewhere.handshakes()).toBeGreaterThan(before)), pause(500)]);
      };
    },
  };
}

const authority = makeAuthority('authority');

function dheAlone(): ServerOptions {
  const { certificate: cert, key } = issueCertificate(authority, 'hostile', 'rsa');
  return { cert, key, maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' };
}

const strangers: readonly Stranger[] = [
  {
    name: 'a DSA key of 34 kB as the secret of a key pair',
    at: 2,
    async prepare(url) {
      const { client } = await oauthLedger(url);
      const named = { signer: 'prov', schema: 'key-pair', format: 'rsa-der', public: spki(rsa.publicKey) };
      const data = { handle: 'hostile', ...named, secret: '{{ secret.private }}' };
      const body = withSecret(signed(data, client.key), { private: dsaPem(6_300) });
      return refused(client, '/signers/prov/factors', body);
    },
  },
  {
    name: 'a DSA key of 4 kB as the key of a client certificate',
    at: 2,
    async prepare(url) {
      const client = await newLedger(url, { access: OPEN });
      const { secure, secret } = mtls({ ...issueCertificate(authority, 'ledger'), key: dsaPem(740) });
      const data = { handle: 'b', schema: 'rest', config: { server: 'https://127.0.0.1:1' }, secure: [...secure] };
      const body = withSecret(signed(data, client.key), secret);
      return refused(client, '/bridges', body);
    },
  },
  oneWrite('webhooks at hosts that offer DHE alone', dheAlone),
  oneWrite('webhooks at hosts whose certificates take long to verify', () => hostileChain(10)),
  {
    name: 'bodies that lack their last byte',
    at: 40,
    async prepare(url) {
      const { ledger } = await newLedger(url, { access: OPEN });
      const { hostname, port } = new URL(url);
      const head = `POST /v2/wallets HTTP/1.1\r\nhost: a\r\nx-ledger: ${ledger}\r\ncontent-type: application/json\r\n`;
      return async () => {
        const socket = connect({ port: Number(port), host: hostname });
        socket.on('error', () => {});
        socket.write(`${head}content-length: 900001\r\n\r\n${'x'.repeat(900_000)}`);
        await pause(2_000);
        socket.destroy();
      };
    },
  },
  {
    name: 'records of 0.9 MB beyond its quota',
    at: 1,
    async prepare(url) {
      const client = await newLedger(url, { access: OPEN });
      return () => createWallet(client, { text: 'x'.repeat(900_000) });
    },
  },
];

describe.skipIf(process.platform === 'win32')('a small read of one tenant', () => {
  let field: Field;
  let elsewhere: Elsewhere;
  beforeAll(async () => {
    elsewhere = startElsewhere();
    field = await startField(between, { DELIVERY_ALLOW_PRIVATE: 'true', LEDGER_QUOTA: '5000000' });
  });
  afterAll(async () => {
    elsewhere.end();
    await field?.end();
  });

  it.each(strangers)('is answered as before while a stranger sends $name', async ({ name, at, prepare }) => {
    const attack = { name, prepare: (url: string) => prepare(url, elsewhere) };
    const course = { milliseconds, atATime: at, rest, isFirstCounted: true };
    const { reads, quiet, stretch, answered } = await field.attacked(attack, [0, 0, 0, 0], course);
    expect(answered).toBeGreaterThan(0);
    expect(quantile(reads, 1)).toBeLessThan(REFUSED);
    expect(stretch).toBeLessThan(STRETCH);
    // The clock tells of the service only where nothing else runs: measured alone, with LONG_TESTS=1.
    if (process.env.LONG_TESTS && quantile(quiet, 0.95) < BUSY) {
      expect(quantile(reads, 0.99)).toBeLessThan(greatest(quiet));
    }
  });
});
