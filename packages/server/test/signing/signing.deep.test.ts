import type { Worker } from 'node:worker_threads';
import type { JsonObject } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { type Countersigner, countersigner } from '../../src/keys/countersigner.js';
import type { UnsignedProof } from '../../src/keys/signing-key.js';
import { DIGEST_BYTES, SECRET_KEY_BYTES, SIGNATURE_BYTES, type ThreadAnswer } from '../../src/signing/messages.js';
import { type SignatureCheck, type Signing, startSigning } from '../../src/signing/signing.js';
import { startThread } from '../../src/signing/thread.js';
import { subscribe } from '../events/support.js';
import { checkBooks } from '../money/invariants.js';
import { checkReplay } from '../money/replay.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { withOwnServer } from '../support/server.js';

const HASH = 'ab'.repeat(32);

/** The threads that were started, in their order. Node.js tells of each as it is made. */
const threads: Worker[] = [];
const noteThread = (thread: Worker) => threads.push(thread);

beforeAll(() => void process.on('worker', noteThread));
afterAll(() => void process.off('worker', noteThread));

function signer(handle: string, byte: number): Countersigner {
  const secret = new Uint8Array(32).fill(byte);
  return countersigner(handle, { public: Buffer.from(native.publicKey(secret)).toString('base64'), secret }, native);
}

const system = signer('system', 1);
const core = signer('core', 2);

/** Proofs by two keys in turn, and as they are once they are signed. */
function proofs(count: number, name: string) {
  const customs = Array.from({ length: count }, (_, at): JsonObject => ({ name, at }));
  const by = (at: number) => (at % 3 === 0 ? core : system);
  return {
    unsigned: customs.map((custom, at) => by(at).unsigned(HASH, custom)),
    signed: customs.map((custom, at) => by(at).stored(HASH, custom)),
  };
}

const provenBy = (unsigned: readonly UnsignedProof[]) => unsigned.map(({ proof }) => proof);

/** Starts a thread. @returns the errors that its end was told with */
async function start(): Promise<{ signing: Signing; ends: Error[]; thread: Worker }> {
  const ends: Error[] = [];
  const random = (bytes: number) => new Uint8Array(bytes);
  const signing = await startSigning({
    versionKey: new Uint8Array(32),
    random,
    ended: (error) => void ends.push(error),
  });
  return { signing, ends, thread: threads.at(-1)! };
}

describe('signatures', () => {
  /** Signatures that hold, and some of which a byte is another one. */
  function claims(count: number): { claims: SignatureCheck[]; holds: boolean[] } {
    const all = Array.from({ length: count }, (_, at) => {
      const { digest, public: key, result } = (at % 3 === 0 ? core : system).sign(HASH, { at });
      const claim = {
        signature: Buffer.from(result, 'base64'),
        digest: Buffer.from(digest, 'hex'),
        key: Buffer.from(key, 'base64'),
      };
      const altered = at % 2 === 0 ? undefined : Object.values(claim)[((at - 1) / 2) % 3]!;
      if (altered) altered[at % altered.length]! ^= 1;
      return { claim, isWhole: altered === undefined };
    });
    return { claims: all.map(({ claim }) => claim), holds: all.map(({ isWhole }) => isWhole) };
  }

  it('are those that the keys make, and hold where the key has made them', async () => {
    const { signing, ends } = await start();
    const { unsigned, signed } = proofs(50, 'many');
    const { claims: asked, holds } = claims(60);
    const [, found] = await Promise.all([signing.sign(unsigned), signing.verify(asked)]);
    expect(provenBy(unsigned)).toEqual(signed);
    expect(found).toEqual(holds);
    await signing.close();
    expect(ends).toEqual([]);
  });
});

describe('a signing thread', () => {
  it('that ends is told of once, and what it has not answered fails', async () => {
    const { signing, ends, thread } = await start();
    const ended = new Error('The signing thread has ended with 1.');
    void thread.terminate();
    const asked = [signing.sign(proofs(40, 'a').unsigned), signing.verify([])];
    for (const one of asked) await expect(one).rejects.toEqual(ended);
    await expect(signing.sign(proofs(1, 'b').unsigned)).rejects.toEqual(ended);
    expect(ends).toEqual([ended]);
  });

  it('fails no task but the one that it cannot do', async () => {
    const thread = await startThread(new Uint8Array(32), (error) => {
      throw error;
    });
    const sign = (parts: Uint8Array<ArrayBuffer>) => thread.run({ type: 'sign', parts }, parts.buffer);
    const wrong = thread.run({ type: 'sign', parts: 'none' as never }, new ArrayBuffer());
    const right = sign(new Uint8Array(SECRET_KEY_BYTES + DIGEST_BYTES));
    await expect(wrong).rejects.toThrow(TypeError);
    expect(await right).toHaveLength(SIGNATURE_BYTES);
    await thread.close();
  });

  it('that fails is told of with its error', async () => {
    const { signing, ends, thread } = await start();
    thread.postMessage(undefined);
    await expect(signing.verify([])).rejects.toThrow(/undefined/);
    expect(ends).toEqual([expect.any(TypeError)]);
  });

  it('that is closed ends without alarm', async () => {
    const { signing, ends } = await start();
    const closed = signing.close();
    await expect(signing.sign(proofs(40, 'a').unsigned)).rejects.toThrow('The signing thread has ended');
    await closed;
    expect(ends).toEqual([]);
  });

  it('that ends before it takes messages is the error of the start', async () => {
    const kill = (thread: Worker) => void thread.terminate();
    process.on('worker', kill);
    try {
      await expect(start()).rejects.toThrow('The signing thread has ended');
    } finally {
      process.off('worker', kill);
    }
  });
});

describe('intents whose proofs are signed in the thread', () => {
  const server = withOwnServer();
  let own: Worker;
  beforeAll(() => {
    own = threads.at(-1)!;
  });

  afterAll(async () => {
    await checkBooks(server.current.database.url);
    await checkReplay(server.current.database.url);
  });

  const claims = Array.from({ length: 10 }, () => transfer('alice', 'bob', 1));

  async function makeScene(): Promise<MoneyScene> {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100_000);
    return money;
  }

  const settle = (money: MoneyScene, count: number) =>
    Promise.all(Array.from({ length: count }, () => money.done(claims)));

  it('settle as ever, with each version as it was when it was made', async () => {
    const money = await makeScene();
    await settle(money, 30);
    const handle = (await settle(money, 1))[0]!;
    const intent = await money.read(handle);
    const { body } = await money.client.get(`/intents/${handle}/changes`);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const versions = body.data.map(({ meta }: any) => meta.proofs);
    expect(versions).toHaveLength(8);
    for (const proofs of versions) expect(proofs).toEqual(intent.meta.proofs.slice(0, proofs.length));
    expect(await money.balance('bob')).toEqual([310, 0]);
    await checkBooks(server.current.database.url);
  });

  it('settle without one that turns out to be too much for the filters of effects', async () => {
    const money = await makeScene();
    const elements = Array.from({ length: 7 }, (_, at) => [`intent.data.custom.list.${at}`, 0] as const);
    await subscribe(money.client, 'heavy', 'intent-updated', { filter: Object.fromEntries(elements) });
    const custom = { list: Array.from({ length: 40_000 }, () => 0) };
    const rounds = 3;
    for (let round = 1; round <= rounds; round += 1) {
      const light = settle(money, 10);
      const heavy = money.send(claims, { custom });
      const more = settle(money, 10);
      const { answer, handle } = await heavy;
      expect([answer.status, answer.body.data.reason]).toEqual([403, 'auth.forbidden']);
      await Promise.all([light, more]);
      expect((await money.client.get(`/intents/${handle}`)).status).toBe(404);
      expect(await money.balance('bob')).toEqual([round * 200, 0]);
    }
  });

  it('settle without one whose versions cannot be serialized', async () => {
    const money = await makeScene();
    await settle(money, 16);
    const heard = own.listeners('message') as ((answer: ThreadAnswer) => void)[];
    own.removeAllListeners('message');
    let isAltered = false;
    own.on('message', (answer: ThreadAnswer) => {
      const { number, result } = answer;
      const alters = Array.isArray(result) && !isAltered;
      isAltered ||= alters;
      for (const listener of heard)
        listener(alters ? { number, result: [new Error('it cannot be'), ...result.slice(1)] } : answer);
    });
    const sent = await Promise.all(Array.from({ length: 12 }, () => money.send(claims)));
    const failed = sent.filter(({ answer }) => answer.status !== 201);
    expect(isAltered).toBe(true);
    expect(failed.map(({ answer }) => answer.status)).toEqual([500]);
    expect((await money.client.get(`/intents/${failed[0]!.handle}`)).status).toBe(404);
    expect(await money.balance('bob')).toEqual([160 + 110, 0]);
    await checkBooks(server.current.database.url);
  });
});
