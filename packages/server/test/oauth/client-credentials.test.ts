import { describe, expect, it } from 'vitest';
import { candidateFor, knowsSecret } from '../../src/auth/client.js';
import { clientCredentials } from '../../src/auth/client-credentials.js';
import { openSession } from '../../src/ledgers/session.js';
import { withServer } from '../support/server.js';
import { basic, oauthLedger } from './scene.js';

const empty = new URLSearchParams();
const header = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('Basic authentication (RFC 6749 §2.3.1)', () => {
  it.each([
    ['plain', header('id:secret'), 'id', 'secret'],
    ['percent-encoded', header('a%3Ab:p%25q%20r'), 'a:b', 'p%q r'],
    ['plus for a space', header('a+b:c+d'), 'a b', 'c d'],
    ['an encoded plus', header('a%2Bb:c%2Bd'), 'a+b', 'c+d'],
    ['colons in the secret', header('a:b:c'), 'a', 'b:c'],
    ['not only Latin', basic('ž', '€').authorization ?? '', 'ž', '€'],
    ['raw UTF-8', header('ž:€'), 'ž', '€'],
    ['another case', header('a:b').replace('Basic', 'bASIC'), 'a', 'b'],
  ])('%s', (_, authorization, id, secret) => {
    expect(clientCredentials(authorization, empty)).toEqual({ id, secret });
  });

  it.each([header('%'), header('a:%e2%82'), 'Basic a?', 'Basic /zo='])('%s cannot be read', (authorization) => {
    expect(clientCredentials(authorization, new URLSearchParams({ client_id: 'a', client_secret: 'b' }))).toBe(
      'malformed',
    );
  });

  it('other schemes and no header leave it to the form', () => {
    const form = new URLSearchParams({ client_id: 'a', client_secret: 'b' });
    for (const authorization of [undefined, '', 'Bearer abc', 'Basic', 'Basically YTpi']) {
      expect(clientCredentials(authorization, form)).toEqual({ id: 'a', secret: 'b' });
      expect(clientCredentials(authorization, empty)).toBe('none');
    }
  });
});

describe('a candidate', () => {
  const server = withServer();

  it('is proved by the secret alone, and one that is none by nothing', async () => {
    const { client, credentials } = await oauthLedger(server.current.url);
    const { service } = server.current.server;
    const ledger = await service.ledgers.resolve(client.ledger ?? '');
    const known = await candidateFor(openSession(service, ledger), credentials.id);
    expect(known.factor?.luid).toBe(credentials.factor.luid);
    expect([credentials.secret, '', 'undefined'].map((secret) => knowsSecret(known, secret))).toEqual([
      true,
      false,
      false,
    ]);
    const unknown = await candidateFor(openSession(service, ledger), 'ghost');
    expect(['', 'undefined', credentials.secret].map((secret) => knowsSecret(unknown, secret))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
