import type { Worker } from 'node:worker_threads';
import type { JsonObject } from '@countersign/protocol';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { countersigner } from '../../src/keys/countersigner.js';
import { limits } from '../../src/limits.js';
import { createRequestSignatures } from '../../src/signing/request-signatures.js';
import { createSigning, type SignatureCheck } from '../../src/signing/signing.js';
import type { ThreadMessage } from '../../src/signing/tasks.js';
import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { expectRecord, expectRefusal } from '../support/checks.js';
import { newKey, signed } from '../support/client.js';
import { withOwnServer } from '../support/server.js';

const HASH = 'cd'.repeat(32);
const MEANS = { suite: native, versionKey: new Uint8Array(32), random: (bytes: number) => new Uint8Array(bytes) };
const secret = new Uint8Array(32).fill(7);
const signer = countersigner(
  'system',
  { public: Buffer.from(native.publicKey(secret)).toString('base64'), secret },
  native,
);

const proofOf = (name: string) => signer.sign(HASH, { name });

function bytesOf({ result, digest, public: key }: ReturnType<typeof proofOf>): SignatureCheck {
  return {
    signature: Buffer.from(result, 'base64'),
    digest: Buffer.from(digest, 'hex'),
    key: Buffer.from(key, 'base64'),
  };
}

describe('signatures that are verified ahead', () => {
  /** Counts what is verified, and holds runs back while `gate` is not open. */
  function open() {
    const found = { suite: 0, together: [] as number[] };
    let gate: Promise<void> = Promise.resolve();
    const suite: typeof native = {
      ...native,
      verify(...parts) {
        found.suite += 1;
        return native.verify(...parts);
      },
    };
    const signing = createSigning({ ...MEANS, failed: () => {} });
    const counted = {
      ...signing,
      sign: signing.sign.bind(signing),
      close: signing.close.bind(signing),
      async verify(claims: readonly SignatureCheck[]) {
        found.together.push(claims.length);
        await gate;
        return signing.verify(claims);
      },
    };
    const hold = () => {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    };
    return { signatures: createRequestSignatures(counted, suite), found, hold };
  }

  it('are known to the suite, whether they hold or not, and all others are verified by it', async () => {
    const { signatures, found } = open();
    const [right, wrong, other] = [proofOf('right'), proofOf('wrong'), proofOf('other')];
    wrong.result = other.result;
    const suite = await signatures.verifyAhead(1, [right, wrong]);
    const ask = ({ signature, digest, key }: SignatureCheck) => suite.verify(signature, digest, key);
    expect([ask(bytesOf(right)), ask(bytesOf(wrong))]).toEqual([true, false]);
    expect(found).toEqual({ suite: 0, together: [2] });
    expect(ask(bytesOf(other))).toBe(true);
    expect(found.suite).toBe(1);
    for (const part of ['signature', 'digest', 'key'] as const) {
      const claim = bytesOf(right);
      claim[part][0]! ^= 1;
      expect(ask(claim), part).toBe(false);
    }
    expect(found.suite).toBe(4);
  });

  it('are of many requests together, each with its own answer', async () => {
    const { signatures, found, hold } = open();
    const release = hold();
    const requests = Array.from({ length: 60 }, (_, at) => {
      const proofs = Array.from({ length: 1 + (at % limits.signatures.ahead) }, (_, nth) => proofOf(`${at} ${nth}`));
      const isForged = at % 3 === 0;
      if (isForged) proofs.at(-1)!.result = proofOf('elsewhere').result;
      return { proofs, isForged };
    });
    const suites = requests.map(({ proofs }, at) => signatures.verifyAhead(at % 5, proofs));
    release();
    for (const [at, { proofs, isForged }] of requests.entries()) {
      const suite = await suites[at]!;
      const holds = proofs.map(bytesOf).map(({ signature, digest, key }) => suite.verify(signature, digest, key));
      expect(holds).toEqual(proofs.map((_, nth) => !(isForged && nth === proofs.length - 1)));
    }
    expect(found.suite).toBe(0);
    // The first one begins at once, with what has come by then.
    expect(found.together.length).toBeLessThan(5);
    expect(found.together.reduce((sum, count) => sum + count)).toBe(150);
    expect(Math.max(...found.together)).toBeLessThanOrEqual(limits.signatures.most);
  });

  it('are none where a request has many, or none of the form, or where too many wait', async () => {
    const { signatures, found, hold } = open();
    const many = Array.from({ length: limits.signatures.ahead + 1 }, (_, at) => proofOf(`${at}`));
    await signatures.verifyAhead(1, many);
    const { method, public: key, digest, result } = proofOf('short');
    const malformed = [
      {},
      { method, public: key, digest },
      { public: key, digest, result },
      { method: 'another', public: key, digest, result },
      { method, public: key.slice(4), digest, result },
      { method, public: key, digest: digest.slice(2), result },
      { method, public: key, digest: 'x'.repeat(64), result },
      { method, public: key, digest, result: `${result}AAAA` },
      { method, public: key, digest, result: '*'.repeat(88) },
    ];
    for (const one of malformed) await signatures.verifyAhead(1, [one]);
    expect(found.together).toEqual([]);
    const release = hold();
    const { queue, perLedger, batch } = limits.signatures;
    /** Whether the suite has to verify it itself. */
    const isHere = async (suite: Promise<typeof native>) => {
      const { signature, digest: message, key: by } = bytesOf(proofOf('w'));
      const before = found.suite;
      expect((await suite).verify(signature, message, by)).toBe(true);
      return found.suite > before;
    };
    const ask = (ledger: number) => signatures.verifyAhead(ledger, [proofOf('w')]);
    const own = Array.from({ length: perLedger }, () => ask(1));
    expect(await isHere(ask(1))).toBe(true);
    const others = Array.from({ length: queue + batch }, (_, at) => ask(2 + at));
    expect(await isHere(others.at(-1)!)).toBe(true);
    release();
    for (const one of [...own, others[0]!]) expect(await isHere(one)).toBe(false);
    await Promise.all(others);
    expect(await isHere(ask(1))).toBe(false);
  });

  it('are of many ledgers together: none waits for the turn of another', async () => {
    const { signatures, found } = open();
    await Promise.all(Array.from({ length: 60 }, (_, ledger) => signatures.verifyAhead(ledger, [proofOf('w')])));
    expect(found.together).toEqual([60]);
  });
});

describe('intents that come together', () => {
  const server = withOwnServer();
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  beforeEach(() => void process.on('worker', note));
  afterEach(() => void process.off('worker', note));
  afterAll(() => checkBooks(server.current.database.url));

  /** How an intent is made to be refused: what is sent in place of what was signed. */
  const forgeries: Readonly<Record<string, (body: JsonObject, other: JsonObject) => void>> = {
    'another signature': (body, other) => Object.assign(proofIn(body), { result: proofIn(other).result }),
    'another key': (body) => Object.assign(proofIn(body), { public: newKey().public }),
    'another digest': (body, other) => Object.assign(proofIn(body), { digest: proofIn(other).digest }),
    'the proof of another': (body, other) => Object.assign(proofIn(body), proofIn(other)),
    'no signature': (body) => Object.assign(proofIn(body), { result: 'A'.repeat(86).concat('==') }),
  };

  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies
  const proofIn = (body: JsonObject): any => (body.meta as any).proofs[0];

  it('are each judged by their own signatures, and answered with proofs that verify', async () => {
    const money = await MoneyScene.make(server.current.url);
    await money.issue('alice', 100_000);
    const { client } = money;
    const bodyOf = (handle: string) => signed({ handle, claims: [transfer('alice', 'bob', 1)] }, client.key);
    /** How often the thread was told to verify. */
    let told = 0;
    let rounds = 0;
    for (; told === 0 && rounds < 20; rounds += 1) {
      const round = rounds;
      for (const thread of threads.splice(0)) {
        const tell = thread.postMessage.bind(thread);
        thread.postMessage = (message: ThreadMessage, ...more: []) => {
          if ('checks' in message.task) told += 1;
          tell(message, ...more);
        };
      }
      const sent = Array.from({ length: 40 }, (_, at) => {
        const body = bodyOf(`r-${round}-${at}`);
        const forgery = at % 4 === 1 ? Object.keys(forgeries)[((at - 1) / 4) % 5]! : undefined;
        if (forgery) forgeries[forgery]!(body, bodyOf(`o-${round}-${at}`));
        return { body, forgery };
      });
      const answers = await Promise.all(sent.map(({ body }) => client.call('POST', '/intents', body)));
      for (const [at, answer] of answers.entries()) {
        const { forgery, body } = sent[at]!;
        if (!forgery) expectRecord(answer, 201, body.data);
        else {
          const reason = 'crypto.signature-invalid';
          expectRefusal(answer, client, reason, `Invalid signature for key: ${proofIn(body).public}`);
        }
      }
    }
    expect(told).toBeGreaterThan(0);
    expect(await money.balance('bob')).toEqual([rounds * 30, 0]);
  });
});
