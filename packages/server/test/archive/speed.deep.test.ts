import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { MoneyScene, transfer } from '../money/scene.js';
import { signed } from '../support/client.js';
import { startServer } from '../support/server.js';
import { changesIn } from './served.js';
import { exported, imported, verified } from './support.js';

const isLong = process.env.LONG_TESTS !== undefined;

/** Versions of the ledger: in the long run as many as the promise is about. */
const CHANGES = isLong ? 100_000 : 1_500;

/** A bound on a busy machine; what a quiet one does is told. */
const LEAST = isLong ? 5_000 : 1_000;

it(`verifies a ledger of ${CHANGES} changes, and says how fast (export#what-is-verified)`, async () => {
  const server = await startServer();
  const into = await startServer();
  try {
    const scene = await MoneyScene.make(server.url, ['alice', 'bob']);
    const { client } = scene;
    await scene.issue('alice', 1_000_000);
    // One in ten versions is of money, the others are creates with two proofs each.
    const creates = Math.floor(CHANGES * 0.9);
    const transfers = Math.floor((CHANGES - creates) / 8);
    const many = async (count: number, send: (at: number) => Promise<{ status: number; text: string }>) => {
      let next = 0;
      const lane = async () => {
        for (let at = next++; at < count; at = next++) {
          const answer = await send(at);
          expect(answer.status, answer.text).toBe(201);
        }
      };
      await Promise.all(Array.from({ length: 32 }, lane));
    };
    await many(creates, (at) =>
      client.call(
        'POST',
        '/wallets',
        signed({ handle: `w-${at}`, custom: { note: randomBytes(100).toString('hex') } }, client.key),
      ),
    );
    await many(transfers, (at) =>
      client.create('/intents', { handle: `t-${at}`, claims: [transfer('alice', 'bob', 1)] }),
    );
    const text = await exported(server, client.ledger!, { passphrase: 'x' });
    const changes = changesIn(text).length;
    const begin = process.cpuUsage();
    const { told, summary } = verified(text);
    const { user, system } = process.cpuUsage(begin);
    expect(told).toEqual([]);
    expect(summary.changes).toBe(changes);
    const speed = changes / ((user + system) / 1e6);
    console.log(
      `${changes} changes, ${summary.signatures} signatures: ${Math.round(speed)} changes a second of processor time`,
    );
    expect(speed).toBeGreaterThan(LEAST);
    const before = performance.now();
    expect(await imported(into, text, { passphrase: 'x' })).toEqual([]);
    console.log(`imported in ${Math.round(performance.now() - before)} ms`);
  } finally {
    await server.stop();
    await into.stop();
  }
}, 3_600_000);
