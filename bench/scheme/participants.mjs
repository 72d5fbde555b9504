import { randomBytes } from 'node:crypto';
import { encodeBase64, hash as hashOf, signProof } from '@countersign/protocol';
import { native } from '../../packages/server/dist/auth/native-suite.js';
import { Founder } from '../founder.mjs';
import { request } from '../request.mjs';

/** Handle of the scheme's ledger. */
export const SCHEME = 'scheme';

/** Banks, the wallets of each, and what each wallet is given at first. */
const BANKS = 10;
const WALLETS = 100;
const FUNDS = 1_000_000_000;

/** Prime to the number of wallets of a bank. */
const STEP = 37;

/**
 * The participants of a scheme: an operator who keeps the ledger and issues money, and banks, each with a key, a signer and
 * wallets that it alone may spend from.
 */
export class Participants {
  #operator = makeKey();
  #banks = Array.from({ length: BANKS }, makeKey);
  #count = 0;

  /**
   * Makes the ledger, its rules, its wallets and their money, and an effect that sends each completed transfer to `receiver`.
   *
   * @param port of the server
   * @param receiver port of the receiver
   */
  async found(port, receiver) {
    const founder = new Founder(port, SCHEME, this.#operator);
    await founder.found([
      { action: 'any', record: 'any', signer: { public: this.#operator.public } },
      { action: 'access', record: 'any', signer: { schema: 'bank' } },
      { action: 'create', record: 'intent', signer: { schema: 'bank' } },
      { action: { $in: ['read', 'query'] }, record: 'any' },
    ]);
    await founder.create('/schemas', { handle: 'bank', record: 'signer', format: 'json-schema', schema: {} });
    await founder.create('/symbols', { handle: 'usd', factor: 100 });
    for (const [bank, { public: key }] of this.#banks.entries()) {
      const signer = { handle: `bank-${bank}`, schema: 'bank', format: 'ed25519-raw', public: key };
      await founder.create('/signers', signer);
      await this.#fund(founder, bank);
    }
    const action = { schema: 'webhook', endpoint: `http://127.0.0.1:${receiver}/` };
    const filter = { 'intent.meta.status': 'completed', 'intent.data.custom.kind': 'transfer' };
    await founder.create('/effects', { handle: 'completed', signal: 'intent-updated', filter, action });
  }

  async #fund(founder, bank) {
    const handles = Array.from({ length: WALLETS }, (_, wallet) => walletOf(bank, wallet));
    const access = [{ action: 'spend', signer: { handle: `bank-${bank}` } }];
    await Promise.all(handles.map((handle) => founder.create('/wallets', { handle, access })));
    const claims = handles.map((handle) => ({
      action: 'issue',
      amount: FUNDS,
      symbol: { handle: 'usd' },
      target: { handle },
    }));
    await founder.create('/intents', { handle: `issue-${bank}`, claims });
  }

  /** The next transfer, from a wallet of some bank to one of another, signed by the first and written out. */
  transfer() {
    this.#count += 1;
    const number = this.#count;
    const from = number % BANKS;
    const to = (from + 1 + (number % (BANKS - 1))) % BANKS;
    const claim = {
      action: 'transfer',
      amount: 1 + (number % 1_000),
      source: { handle: walletOf(from, number % WALLETS) },
      symbol: { handle: 'usd' },
      target: { handle: walletOf(to, (number * STEP) % WALLETS) },
    };
    const data = { handle: `t-${number}`, claims: [claim], custom: { kind: 'transfer' } };
    const hash = hashOf(data, native);
    const custom = { moment: new Date().toISOString(), status: 'created' };
    const meta = { proofs: [signProof({ hash, custom, ...this.#banks[from] }, native)] };
    return request('POST', '/intents', { ledger: SCHEME, text: JSON.stringify({ hash, data, meta }) });
  }
}

function walletOf(bank, wallet) {
  return `w-${bank}-${wallet}`;
}

function makeKey() {
  const secret = randomBytes(32);
  return { secret, public: encodeBase64(native.publicKey(secret)) };
}
