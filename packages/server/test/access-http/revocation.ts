import type { RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import { TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { bearer } from '../support/token.js';
import { circleOf, founded, GATE, registered } from './support.js';

/** An answer, with the moment its request was begun. */
interface Attempt {
  readonly begun: number;
  readonly status: number;
}

/**
 * Round after round: alice is in a circle and asks all processes all the time, by reads, lists and writes; then the
 * link is dropped through one of them. Whatever she begins after the answer to the drop must be refused, by every
 * process, and whatever she began before it was granted until then.
 *
 * @param urls of processes on one database
 */
export async function revokedRounds(urls: readonly string[], rounds: number): Promise<void> {
  const founder = await founded(urls[0] as string, [GATE]);
  const alice = await registered(founder, 'alice');
  let [link] = await circleOf(founder, 'ops', 'alice');
  const access = [
    { action: 'update', signer: { $circle: 'ops' } },
    { action: 'read', bearer: { $signer: { $circle: 'ops' } } },
  ];
  const wallets: RecordEnvelope[] = [];
  for (const url of urls) wallets.push(await stored(founder, 'wallet', { handle: `w-${urls.indexOf(url)}`, access }));
  const clients = urls.map((url) => new TestClient(url, alice, founder.ledger));
  for (let round = 0; round < rounds; round += 1) {
    const attempts: Attempt[] = [];
    let stopped = false;
    const workers = clients.flatMap((client, index) =>
      [0, 1, 2].map(async (way) => {
        while (!stopped) attempts.push(await attempt(client, alice, wallets, way, index));
      }),
    );
    await until(() => attempts.length >= clients.length * 4);
    const dropper = new TestClient(urls[round % urls.length] as string, founder.key, founder.ledger);
    ok(await dropper.drop('/circles/ops/signers/alice', link as RecordEnvelope));
    const revoked = performance.now();
    await until(() => attempts.filter(({ begun }) => begun > revoked).length >= clients.length * 4);
    stopped = true;
    await Promise.all(workers);
    const after = attempts.filter(({ begun }) => begun > revoked);
    expect(after.filter(({ status }) => status !== 403)).toEqual([]);
    expect(attempts.some(({ status }) => status === 200)).toBe(true);
    expect(attempts.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    link = await stored(founder, 'circle-signer', { circle: 'ops', signer: 'alice' });
    // To be let in again counts at once, too.
    for (const client of clients) expect((await client.get('/wallets/w-0', bearer(alice))).status).toBe(200);
  }
}

/** One request of alice's: a read, the reading of the history, or a proof. */
async function attempt(
  client: TestClient,
  alice: TestKey,
  wallets: readonly RecordEnvelope[],
  way: number,
  index: number,
): Promise<Attempt> {
  const begun = performance.now();
  const path = `/wallets/w-${index}`;
  if (way === 0) return { begun, status: (await client.get(path, bearer(alice))).status };
  if (way === 1) return { begun, status: (await client.get(`${path}/changes/1`, bearer(alice))).status };
  // The record holds a bounded number of proofs: an update of the same data instead, which is refused as stale in time.
  const wallet = wallets[index] as RecordEnvelope;
  const { status, body } = await client.update(path, wallet, wallet.data);
  return { begun, status: body.data?.reason === 'crypto.parent-hash-invalid' ? 200 : status };
}

async function until(done: () => boolean): Promise<void> {
  const end = performance.now() + 30_000;
  while (!done()) {
    if (performance.now() > end) throw new Error('The requests that were waited for did not come.');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
