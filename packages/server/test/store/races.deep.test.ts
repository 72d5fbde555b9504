import { describe, expect, it } from 'vitest';
import { recordLimits } from '../../src/records/record-limits.js';
import { dropOf, newKey, newLedger, proofOver, signed, updateOf } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { atOnce, expectIntact, tally } from './intact.js';

const MANY = 50;
const ROUNDS = process.env.LONG_TESTS ? 20 : 5;

describe('writes that arrive at the same time', () => {
  const server = withServer();

  it('let one of 50 updates on the same parent through, every time', async () => {
    const client = await newLedger(server.current.url);
    let record = ok(await client.create('/wallets', { handle: 'w' })).body;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const bodies = Array.from({ length: MANY }, (_, index) =>
        updateOf(record, { handle: 'w', custom: { round, index } }, client.key),
      );
      const answers = await atOnce(MANY, (index) => client.call('PUT', '/wallets/w', bodies[index]));
      expect(tally(answers)).toEqual({ 200: 1, '422 crypto.parent-hash-invalid': MANY - 1 });
      const winner = answers.find(({ status }) => status === 200)!;
      expect((await client.get('/wallets/w')).text).toBe(winner.text);
      record = winner.body;
    }
    expect(await expectIntact(client, '/wallets', record.luid)).toHaveLength(ROUNDS + 1);
  });

  it('make one record of 50 creates of one handle, and keep nothing of the others', async () => {
    const client = await newLedger(server.current.url);
    for (let round = 0; round < 5; round += 1) {
      const handle = `w-${round}`;
      const bodies = Array.from({ length: MANY }, (_, index) => signed({ handle, custom: { index } }, client.key));
      const answers = await atOnce(MANY, (index) => client.call('POST', '/wallets', bodies[index]));
      expect(tally(answers)).toEqual({ 201: 1, '409 record.duplicated': MANY - 1 });
      const winner = answers.find(({ status }) => status === 201)!;
      expect((await client.get(`/wallets/${handle}`)).text).toBe(winner.text);
      const [first, ...others] = await expectIntact(client, '/wallets', winner.body.luid);
      expect(others).toEqual([]);
      expect(first?.hash).toBe(winner.body.hash);
    }
    expect((await client.get('/wallets?page.limit=1000')).body.data).toHaveLength(5);
  });

  it('make one record of 50 times the same signed create, and tell all of them so', async () => {
    const client = await newLedger(server.current.url);
    const body = JSON.stringify(signed({ handle: 'w' }, client.key));
    const answers = await atOnce(MANY, () => client.call('POST', '/wallets', body));
    expect(tally(answers)).toEqual({ 200: MANY - 1, 201: 1 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await expectIntact(client, '/wallets', answers[0]?.body.luid)).toHaveLength(1);
  });

  it('make one ledger of 50 times the same signed create', async () => {
    const { url } = server.current;
    const client = (await newLedger(url)).in(undefined);
    const body = JSON.stringify(signed({ handle: `same-${Date.now()}`, signer: 'system', access: [] }, client.key));
    const answers = await atOnce(MANY, () => client.call('POST', '/ledgers', body));
    expect(tally(answers)).toEqual({ 200: MANY - 1, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.luid)).size).toBe(1);
  });

  it('keep all of 50 proofs on one record', async () => {
    const client = await newLedger(server.current.url);
    const record = ok(await client.create('/wallets', { handle: 'w' })).body;
    const proofs = Array.from({ length: MANY }, (_, index) => proofOver(record.hash, newKey(), { note: `${index}` }));
    const answers = await atOnce(MANY, (index) => client.call('POST', '/wallets/w/proofs', proofs[index]));
    expect(tally(answers)).toEqual({ 200: MANY });
    const history = await expectIntact(client, '/wallets', record.luid);
    expect(history).toHaveLength(MANY + 1);
    const kept = history.at(-1)!.meta.proofs.map(({ result }) => result);
    expect(kept).toHaveLength(MANY + 2);
    expect(new Set(kept)).toEqual(new Set([...record.meta.proofs, ...proofs].map(({ result }) => result)));
  });

  it('fill a record up to its limit of proofs and not beyond', async () => {
    const client = await newLedger(server.current.url);
    const record = ok(await client.create('/wallets', { handle: 'w' })).body;
    const room = recordLimits.proofs - record.meta.proofs.length;
    const proofs = Array.from({ length: room + 7 }, (_, index) => proofOver(record.hash, client.key, { index }));
    const answers = await atOnce(proofs.length, (index) => client.call('POST', '/wallets/w/proofs', proofs[index]));
    expect(tally(answers)).toEqual({ 200: room, '422 record.invalid': 7 });
    const history = await expectIntact(client, '/wallets', record.luid);
    expect(history.at(-1)!.meta.proofs).toHaveLength(recordLimits.proofs);
  });

  it('keep every history whole when updates, proofs and drops meet', async () => {
    const client = await newLedger(server.current.url);
    await atOnce(6, async (wallet) => {
      const handle = `w-${wallet}`;
      const record = ok(await client.create('/wallets', { handle })).body;
      const path = `/wallets/${handle}`;
      const answers = await atOnce(12, async (index) => {
        const now = (await client.get(path)).body;
        if (now.luid === undefined) return client.get(path);
        if (index % 4 === 0) return client.call('PUT', path, updateOf(now, { handle, custom: { index } }, client.key));
        if (index === 11) return client.call('DELETE', path, dropOf(now, client.key));
        return client.call('POST', `${path}/proofs`, proofOver(now.hash, client.key, { index }));
      });
      const done = answers.filter(({ status }) => status === 200 || status === 204).length;
      expect(Object.keys(tally(answers)).filter((outcome) => outcome.startsWith('5'))).toEqual([]);
      expect(await expectIntact(client, '/wallets', record.luid)).toHaveLength(1 + done);
    });
  });

  it('give a dropped handle to one of 50 successors', async () => {
    const client = await newLedger(server.current.url);
    const record = ok(await client.create('/wallets', { handle: 'w' })).body;
    const drop = dropOf(record, client.key);
    const bodies = Array.from({ length: MANY }, (_, index) => signed({ handle: 'w', custom: { index } }, client.key));
    const [dropped, ...answers] = await atOnce(MANY + 1, (index) =>
      index === 0 ? client.call('DELETE', '/wallets/w', drop) : client.call('POST', '/wallets', bodies[index - 1]),
    );
    expect(dropped?.status).toBe(204);
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeLessThanOrEqual(1);
    expect(tally(answers)['409 record.duplicated'] ?? 0).toBe(MANY - made.length);
    expect(await expectIntact(client, '/wallets', record.luid)).toHaveLength(2);
    for (const { body } of made) expect(await expectIntact(client, '/wallets', body.luid)).toHaveLength(1);
  });
});
