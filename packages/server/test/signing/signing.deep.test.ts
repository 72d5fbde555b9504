import type { Worker } from 'node:worker_threads';
import type { JsonObject } from '@countersign/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { type Countersigner, countersigner } from '../../src/keys/countersigner.js';
import type { UnsignedProof } from '../../src/keys/signing-key.js';
import { createSigning, type SignatureCheck, type Signing } from '../../src/signing/signing.js';
import type { ThreadAnswer } from '../../src/signing/tasks.js';
import { subscribe } from '../events/support.js';
import { checkBooks } from '../money/invariants.js';
import { checkReplay } from '../money/replay.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { eventually } from '../support/eventually.js';
import { withOwnServer } from '../support/server.js';

const HASH = 'ab'.repeat(32);
const MEANS = { suite: native, versionKey: new Uint8Array(32), random: (bytes: number) => new Uint8Array(bytes) };

/** The threads that were started, in their order. Node.js tells of each as it is made. */
let threads: Worker[];
const noteThread = (thread: Worker) => threads.push(thread);

beforeEach(() => {
  threads = [];
  process.on('worker', noteThread);
});

afterEach(() => {
  process.off('worker', noteThread);
});

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

/** Signs, and counts what is signed without the thread. */
function open() {
  const found = { here: 0, failures: 0 };
  const suite: typeof native = {
    ...native,
    sign(message, secret) {
      found.here += 1;
      return native.sign(message, secret);
    },
  };
  const signing = createSigning({ ...MEANS, suite, least: 4, failed: () => (found.failures += 1) });
  return { signing, found };
}

/** Signs until the thread does it. */
async function warm({ signing, found }: { signing: Signing; found: { here: number } }): Promise<void> {
  await eventually(async () => {
    found.here = 0;
    await signing.sign(proofs(4, 'warm').unsigned);
    expect(found.here).toBe(0);
  });
}

describe('signatures that are made in a thread', () => {
  it('are those that the keys make', async () => {
    const { signing, found } = open();
    await warm({ signing, found });
    const { unsigned, signed } = proofs(50, 'many');
    await signing.sign(unsigned);
    expect(provenBy(unsigned)).toEqual(signed);
    expect(found).toEqual({ here: 0, failures: 0 });
    expect(threads).toHaveLength(1);
    await signing.close();
  });

  it('are left to this thread where they are few, and asked for in order behind others', async () => {
    const { signing, found } = open();
    await warm({ signing, found });
    const few = proofs(3, 'few');
    const done = signing.sign(few.unsigned);
    expect(provenBy(few.unsigned)).toEqual(few.signed);
    await done;
    expect(found.here).toBe(3);
    const many = proofs(40, 'many');
    const order: string[] = [];
    const first = signing.sign(many.unsigned).then(() => order.push('many'));
    const second = signing.sign(few.unsigned).then(() => order.push('few'));
    await Promise.all([first, second]);
    expect(order).toEqual(['many', 'few']);
    expect(found.here).toBe(3);
    await signing.close();
  });

  it('are made by the next thread when one ends', async () => {
    const { signing, found } = open();
    await warm({ signing, found });
    const asked = [proofs(40, 'a'), proofs(40, 'b'), proofs(2, 'c')];
    // It is told of them, and says nothing any more.
    void threads[0]!.terminate();
    const signed = asked.map(({ unsigned }) => signing.sign(unsigned));
    await Promise.all(signed);
    for (const one of asked) expect(provenBy(one.unsigned)).toEqual(one.signed);
    await eventually(() => expect(found.failures).toBe(1));
    await warm({ signing, found });
    expect(threads).toHaveLength(2);
    await signing.close();
  });

  it('are made here when the system has no thread left', async () => {
    // What cannot be started throws at once, as Node.js does at the bound on threads.
    const program = new URL('http://localhost/none');
    let failures = 0;
    const signing = createSigning({ ...MEANS, least: 4, program, failed: () => (failures += 1) });
    for (const name of ['a', 'b', 'c', 'd']) {
      const { unsigned, signed } = proofs(40, name);
      await signing.sign(unsigned);
      expect(provenBy(unsigned)).toEqual(signed);
    }
    expect(failures).toBe(3);
    await signing.close();
  });

  it('are made elsewhere when a thread answers nothing', async () => {
    const silent = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => {});
      parentPort.postMessage('ready');`;
    const program = new URL(`data:text/javascript,${encodeURIComponent(silent)}`);
    let failures = 0;
    const options = { ...MEANS, least: 4, patience: 200, program, failed: () => (failures += 1) };
    const signing = createSigning(options);
    await signing.sign(proofs(40, 'here').unsigned);
    const { unsigned, signed } = proofs(40, 'there');
    await eventually(async () => {
      const { unsigned } = proofs(40, 'warm');
      await signing.sign(unsigned);
      expect(failures).toBe(3);
    });
    await signing.sign(unsigned);
    expect(provenBy(unsigned)).toEqual(signed);
    await signing.close();
  });

  it('are made here when threads end one after the other', async () => {
    const kill = (thread: Worker) => void thread.terminate();
    const { signing, found } = open();
    await warm({ signing, found });
    process.on('worker', kill);
    try {
      const { unsigned, signed } = proofs(40, 'a');
      kill(threads[0]!);
      await signing.sign(unsigned);
      expect(provenBy(unsigned)).toEqual(signed);
      expect(found.failures).toBe(3);
    } finally {
      process.off('worker', kill);
    }
    const more = proofs(40, 'b');
    await signing.sign(more.unsigned);
    expect(provenBy(more.unsigned)).toEqual(more.signed);
    expect(threads).toHaveLength(3);
    await signing.close();
  });

  it('are made when it closes, and after', async () => {
    const { signing, found } = open();
    await warm({ signing, found });
    const [before, after] = [proofs(40, 'a'), proofs(40, 'b')];
    const done = signing.sign(before.unsigned);
    await signing.close();
    await done;
    await signing.sign(after.unsigned);
    expect(provenBy(before.unsigned)).toEqual(before.signed);
    expect(provenBy(after.unsigned)).toEqual(after.signed);
    // Threads are told of a little later than they are started.
    await new Promise((resolve) => setImmediate(resolve));
    expect(threads).toHaveLength(1);
    expect(found.failures).toBe(0);
  });
});

describe('signatures that are verified in a thread', () => {
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

  function openVerifying() {
    const found = { here: 0, failures: 0 };
    const suite: typeof native = {
      ...native,
      verify(...parts) {
        found.here += 1;
        return native.verify(...parts);
      },
    };
    const signing = createSigning({ ...MEANS, suite, least: 4, failed: () => (found.failures += 1) });
    return { signing, found };
  }

  it('hold where the key has made them, there as here', async () => {
    const { signing, found } = openVerifying();
    const { claims: asked, holds } = claims(60);
    expect(await signing.verify(asked)).toEqual(holds);
    expect(found.here).toBe(60);
    await eventually(async () => {
      found.here = 0;
      expect(await signing.verify(asked)).toEqual(holds);
      expect(found.here).toBe(0);
    });
    expect(await signing.verify(asked.slice(0, 3))).toEqual(holds.slice(0, 3));
    expect(found).toEqual({ here: 3, failures: 0 });
    await signing.close();
  });

  /** Verifies until the thread does it. */
  async function warmVerifying({ signing, found }: ReturnType<typeof openVerifying>, asked: readonly SignatureCheck[]) {
    await eventually(async () => {
      found.here = 0;
      await signing.verify(asked);
      expect(found.here).toBe(0);
    });
  }

  it.each<[string, (answer: ThreadAnswer) => readonly ThreadAnswer[]]>([
    ['an answer twice', (answer) => [answer, answer]],
    ['the answer to another question', ({ number, ...answer }) => [{ ...answer, number: number + 1 }]],
    ['something else', ({ number }) => [{ number, records: [] }]],
    ['a shorter answer', ({ number, bytes }) => [{ number, bytes: bytes!.subarray(1) }]],
  ])('are verified here where the thread says %s', async (_, alter) => {
    const { claims: asked, holds } = claims(40);
    const opened = openVerifying();
    const { signing, found } = opened;
    await warmVerifying(opened, asked);
    // What stands between the thread and who listens to it.
    const thread = threads[0]!;
    const heard = thread.listeners('message') as ((answer: ThreadAnswer) => void)[];
    thread.removeAllListeners('message');
    thread.on('message', (answer: ThreadAnswer) => {
      for (const one of alter(answer)) for (const listener of heard) listener(one);
    });
    const answers = await Promise.all([asked, asked.toReversed(), asked].map((some) => signing.verify(some)));
    expect(answers).toEqual([holds, holds.toReversed(), holds]);
    expect(found.failures).toBe(1);
    await signing.close();
  });

  it('are verified here where the thread cannot be told, and what comes after as ever', async () => {
    const opened = openVerifying();
    const { signing, found } = opened;
    const { claims: asked, holds } = claims(40);
    await warmVerifying(opened, asked);
    const [thread] = threads;
    const tell = thread!.postMessage;
    thread!.postMessage = () => {
      thread!.postMessage = tell;
      throw new RangeError('no memory');
    };
    const answers = [signing.verify(asked), signing.verify(asked.toReversed()), signing.verify(asked)];
    expect(await Promise.all(answers)).toEqual([holds, holds.toReversed(), holds]);
    expect(found).toEqual({ here: 40, failures: 1 });
    await signing.close();
  });

  it('are verified in turn with what is signed, by the next thread when one ends, and when it closes', async () => {
    const opened = openVerifying();
    const { signing } = opened;
    const { claims: asked, holds } = claims(40);
    await warmVerifying(opened, asked);
    const one = proofs(40, 'one');
    void threads[0]!.terminate();
    const answers = [signing.verify(asked), signing.sign(one.unsigned), signing.verify(asked.toReversed())];
    expect(await Promise.all(answers)).toEqual([holds, undefined, holds.toReversed()]);
    expect(provenBy(one.unsigned)).toEqual(one.signed);
    const last = signing.verify(asked);
    await signing.close();
    expect(await last).toEqual(holds);
    expect(await signing.verify(asked)).toEqual(holds);
  });
});

describe('intents whose proofs are signed in a thread', () => {
  const server = withOwnServer();
  /** Those of the server, from its first on. */
  const own: Worker[] = [];
  const noteOwn = (thread: Worker) => own.push(thread);
  beforeAll(() => void process.on('worker', noteOwn));

  afterAll(async () => {
    process.off('worker', noteOwn);
    await checkBooks(server.current.database.url);
    await checkReplay(server.current.database.url);
  });

  /** Enough proofs for the thread, whether they are settled with others or alone. */
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

  it('settle without one whose versions cannot be assembled', async () => {
    const money = await makeScene();
    await settle(money, 8);
    await settle(money, 8);
    const thread = own.at(-1)!;
    const heard = thread.listeners('message') as ((answer: ThreadAnswer) => void)[];
    thread.removeAllListeners('message');
    let isAltered = false;
    thread.on('message', (answer: ThreadAnswer) => {
      const { number, records } = answer;
      const alters = records !== undefined && !isAltered;
      isAltered ||= alters;
      for (const listener of heard)
        listener(alters ? { number, records: ['it cannot be', ...records.slice(1)] } : answer);
    });
    const sent = await Promise.all(Array.from({ length: 12 }, () => money.send(claims)));
    const failed = sent.filter(({ answer }) => answer.status !== 201);
    expect(isAltered).toBe(true);
    expect(failed.map(({ answer }) => answer.status)).toEqual([500]);
    expect((await money.client.get(`/intents/${failed[0]!.handle}`)).status).toBe(404);
    expect(await money.balance('bob')).toEqual([160 + 110, 0]);
    await checkBooks(server.current.database.url);
  });

  it('settle when the thread ends meanwhile', async () => {
    const money = await makeScene();
    await settle(money, 8);
    await settle(money, 8);
    const count = own.length;
    const thread = own.at(-1)!;
    const tell = thread.postMessage.bind(thread);
    // It is told of more, and says nothing any more.
    thread.postMessage = (...message: Parameters<typeof tell>) => {
      tell(...message);
      void thread.terminate();
    };
    await settle(money, 60);
    expect(own).toHaveLength(count + 1);
    expect(await money.balance('bob')).toEqual([760, 0]);
  });
});
