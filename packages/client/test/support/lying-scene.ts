import { encodeBase64, portable, signProof } from '@countersign/protocol';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { withServer } from '../../../server/test/support/server.js';
import { AnswerError, type Ledger } from '../../src/index.js';
import { makeLedger, type TestLedger } from './ledger.js';
import { Liar, type Lie } from './liar.js';

/** A ledger with two wallets, and a client of it that speaks to a liar. */
export class LyingScene {
  /** The ledger, and its clients that speak to the real server. */
  own!: TestLedger;
  ledger!: Ledger;
  liar!: Liar;
  /** Of the real server. */
  url!: string;

  /** What the client makes of a lie. */
  async found(lie: Lie, call: () => Promise<unknown>): Promise<string> {
    this.liar.lie = lie;
    const error = await call().catch((thrown: unknown) => thrown);
    this.liar.lie = () => undefined;
    return error instanceof AnswerError ? error.fault : `missed: ${JSON.stringify(error)}`;
  }
}

/** A new ledger for each test of a file, behind one liar. */
export function withLiar(): LyingScene {
  const server = withServer();
  const scene = new LyingScene();
  beforeAll(async () => {
    scene.url = server.current.url;
    scene.liar = await Liar.before(scene.url);
  });
  afterAll(() => scene.liar.stop());
  beforeEach(async () => {
    scene.own = await makeLedger(scene.url);
    await scene.own.ledger.wallets.create({ handle: 'shop', custom: { tier: 'silver' } });
    await scene.own.ledger.wallets.create({ handle: 'till' });
    scene.ledger = scene.own.connect({ server: scene.liar.url });
  });
  return scene;
}

const secret = new Uint8Array(32).fill(9);
const key = encodeBase64(portable.publicKey(secret));

/** Signs as a server that has another key than the ledger's. */
export function forged(over: string, custom: Record<string, string>) {
  return { ...signProof({ hash: over, custom, secret, public: key }), origin: 'key-pair', signer: 'system' };
}
