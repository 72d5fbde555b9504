import type { Worker } from 'node:worker_threads';
import type { JsonObject } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { Overloaded } from '../../src/base/gather.js';
import { countersigner } from '../../src/keys/countersigner.js';
import { recordLimits } from '../../src/records/record-limits.js';
import type { ThreadMessage } from '../../src/signing/messages.js';
import { createRequestSignatures } from '../../src/signing/request-signatures.js';
import { signatureLimits } from '../../src/signing/signature-limits.js';
import { type SignatureCheck, type Signing, startSigning } from '../../src/signing/signing.js';
import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { expectRecord, expectRefusal } from '../support/checks.js';
import { newKey, signed } from '../support/client.js';
import { withOwnServer } from '../support/server.js';

const HASH = 'cd'.repeat(32);
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
  let signing: Signing;
  beforeAll(async () => {
    const ended = (error: Error) => {
      throw error;
    };
    signing = await startSigning({ versionKey: new Uint8Array(32), random: (bytes) => new Uint8Array(bytes), ended });
  });
  afterAll(() => signing.close());

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
    const counted: Signing = {
      ...signing,
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
      const proofs = Array.from({ length: 1 + (at % 4) }, (_, nth) => proofOf(`${at} ${nth}`));
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
    expect(Math.max(...found.together)).toBeLessThanOrEqual(signatureLimits.message);
  });

  it('are none where a request has none of the form', async () => {
    const { signatures, found } = open();
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
  });

  it('of a ledger that asks for many wait, and leave room for those of others', async () => {
    const { signatures, found, hold } = open();
    const release = hold();
    const { ledger: share, message } = signatureLimits;
    const four = ['a', 'b', 'c', 'd'].map(proofOf);
    const own = Array.from({ length: share }, () => signatures.verifyAhead(1, four));
    const other = signatures.verifyAhead(2, [proofOf('w')]);
    release();
    await other;
    expect(found.together.slice(0, 2)).toEqual([share, 1 + message - four.length]);
    await Promise.all(own);
  });

  it('of a ledger are refused where too many requests wait', async () => {
    const { signatures, hold } = open();
    hold();
    const { ledger: share, waiting } = signatureLimits;
    const one = [proofOf('one')];
    const ask = () => signatures.verifyAhead(1, one);
    const refused: unknown[] = [];
    for (let at = 0; at < share + waiting; at += 1) ask().catch((error) => refused.push(error));
    await expect(ask()).rejects.toThrow(Overloaded);
    expect(refused).toEqual([]);
  });

  it('are of many ledgers together: none waits for the turn of another', async () => {
    const { signatures, found } = open();
    await Promise.all(Array.from({ length: 60 }, (_, ledger) => signatures.verifyAhead(ledger, [proofOf('w')])));
    expect(found.together).toEqual([60]);
  });
});

describe('intents that come together', () => {
  /** How often the thread was told to verify. */
  let told = 0;
  const note = (thread: Worker) => {
    const tell = thread.postMessage.bind(thread);
    thread.postMessage = (message: ThreadMessage, ...more: []) => {
      if (message.task.type === 'verify') told += 1;
      tell(message, ...more);
    };
  };
  beforeAll(() => void process.on('worker', note));
  afterAll(() => void process.off('worker', note));
  const server = withOwnServer();
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
    const sent = Array.from({ length: 40 }, (_, at) => {
      const body = bodyOf(`r-${at}`);
      const forgery = at % 4 === 1 ? Object.keys(forgeries)[((at - 1) / 4) % 5]! : undefined;
      if (forgery) forgeries[forgery]!(body, bodyOf(`o-${at}`));
      return { body, forgery };
    });
    const before = told;
    const answers = await Promise.all(sent.map(({ body }) => client.call('POST', '/intents', body)));
    for (const [at, answer] of answers.entries()) {
      const { forgery, body } = sent[at]!;
      if (!forgery) expectRecord(answer, 201, body.data);
      else {
        const reason = 'crypto.signature-invalid';
        expectRefusal(answer, client, reason, `Invalid signature for key: ${proofIn(body).public}`);
      }
    }
    expect(told).toBeGreaterThan(before);
    expect(await money.balance('bob')).toEqual([30, 0]);
  });

  it('are refused for too many proofs before any is verified', async () => {
    const { client } = await MoneyScene.make(server.current.url);
    const body = signed({ handle: 'many', claims: [transfer('alice', 'bob', 1)] }, client.key);
    Object.assign(body.meta as JsonObject, { proofs: Array(recordLimits.proofs + 1).fill(proofIn(body)) });
    const before = told;
    const answer = await client.call('POST', '/intents', body);
    expectRefusal(answer, client, 'record.invalid', `Record proofs limit of ${recordLimits.proofs} exceeded`);
    expect(told).toBe(before);
  });
});
