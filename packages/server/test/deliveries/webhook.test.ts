import { hash as hashOf, verifyProof } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { newLedger, OPEN } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { withReceiver } from './receiver.js';

const running = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

describe('a webhook', () => {
  it('is sent a signed event of what effects ask for', async () => {
    const client = await newLedger(running.current.url, { access: OPEN });
    const action = { schema: 'webhook', endpoint: `${receiver.url}/hook?a=b` };
    await stored(client, 'effect', { handle: 'hook', signal: 'wallet-created', action });
    const wallet = await stored(client, 'wallet', { handle: 'ann', custom: { n: 1 } });
    const [event] = await eventually(async () => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    });
    expect(event).toMatchObject({
      path: '/hook?a=b',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain, */*' },
    });
    const { data, hash, meta } = event!.body;
    expect(data).toEqual({ handle: expect.stringMatching(/^evt_/), signal: 'wallet-created', wallet });
    expect(hashOf(data, native)).toBe(hash);
    const system = (await client.call('GET', '/signers/system')).body;
    expect(meta.proofs).toHaveLength(1);
    expect(meta.proofs[0].public).toBe(system.data.public);
    expect(verifyProof(hash, meta.proofs[0], native)).toBe(true);
  });
});
