import { join } from 'node:path';
import { readJson } from '@countersign/protocol';
import { Founder } from '../../../bench/founder.mjs';
import { freePort } from '../../../bench/processes.mjs';
import { Bank } from './bank.mjs';
import { FUNDS, Payments } from './payments.mjs';
import { Receiver } from './receiver.mjs';
import { makeKey, signed } from './signing.mjs';
import { handleOf, Wallets } from './wallets.mjs';

/** Claims of one intent that issues. */
const CLAIMS = 20;

/** The last statuses of a payment, of which a receiver is told. */
const FINAL = { 'intent.meta.status': { $in: ['completed', 'rejected'] } };

/** One ledger under load: its wallets, payments, bank and receivers, and what must have become of all of them. */
export class Tenant {
  #context;
  #key = makeKey();
  #bankKey = makeKey();
  /** Effects by handle: `{ receiver, expected }`, the last a set of what is to be told of. */
  effects = {};

  /** @param context `{ handle, port, folder, traffic, findings, delivered }` */
  constructor(context) {
    this.#context = context;
    const { traffic, findings, handle } = context;
    this.handle = handle;
    this.wallets = new Wallets({ traffic, findings, ledger: handle, key: this.#key });
    this.payments = new Payments({ traffic, findings, ledger: handle, key: this.#key });
  }

  async found() {
    const { handle, port, folder, traffic } = this.#context;
    const founder = new Founder(port, handle, this.#key);
    await founder.found([
      { action: 'any', record: 'any', signer: { public: this.#key.public } },
      { action: 'access', record: 'any' },
      { action: 'create', record: 'intent-proof', signer: { public: this.#bankKey.public } },
      { action: { $in: ['read', 'query', 'query-event'] }, record: 'any' },
    ]);
    const { text } = await traffic.ask({ path: '/signers/system', ledger: handle });
    const system = readJson(text).data.public;
    this.bank = new Bank({
      ...{ url: `http://127.0.0.1:${port}/v2`, ledger: handle, system, key: this.#bankKey },
      ...{ folder: join(folder, `bank-${handle}`), port: await freePort(), accounts: this.payments.opened },
    });
    await this.bank.open();
    await this.#foundMoney(founder);
    await this.#foundEffects(founder, system);
  }

  async #foundMoney(founder) {
    await founder.create('/symbols', { handle: 'usd', factor: 100 });
    const signer = { handle: 'bank', public: this.#bankKey.public, format: 'ed25519-raw' };
    await founder.create('/signers', signer);
    await founder.create('/bridges', { handle: 'bank', schema: 'rest', secure: [], config: { server: this.bank.url } });
    const handles = [...this.payments.balances.keys()];
    for (const handle of handles) {
      await founder.create('/wallets', { handle, ...(this.payments.accounts.has(handle) ? { bridge: 'bank' } : {}) });
    }
    for (let first = 0; first < handles.length; first += CLAIMS) {
      const claims = handles
        .slice(first, first + CLAIMS)
        .map((handle) => ({ action: 'issue', amount: FUNDS, symbol: { handle: 'usd' }, target: { handle } }));
      await founder.create('/intents', { handle: `issue-${first}`, claims });
    }
  }

  async #foundEffects(founder, system) {
    const { findings, delivered } = this.#context;
    const add = async (handle, signal, { filter, expected, ...more }) => {
      const receiver = new Receiver({ system, findings, ...more });
      await receiver.open();
      this.effects[handle] = { receiver, expected };
      const action = { schema: 'webhook', endpoint: receiver.url };
      await founder.create('/effects', { handle, signal, ...(filter ? { filter } : {}), action });
    };
    await add('created', 'wallet-created', {
      keyOf: ({ wallet }) => wallet.data.handle,
      expected: () => this.wallets.all.map(({ number }) => handleOf(number)),
    });
    await add('updated', 'wallet-updated', {
      keyOf: ({ wallet }) => wallet.hash,
      expected: () => [...this.wallets.updates],
    });
    await add('final', 'intent-updated', {
      keyOf: ({ intent }) => intent.data.handle,
      // A bank that repeats itself adds a proof to an intent that is final.
      mayRepeat: true,
      filter: { ...FINAL, 'intent.data.claims.action': 'transfer' },
      expected: () => this.payments.all.map(({ handle }) => handle),
      onFirst: ({ data }) => delivered(Date.now() - Date.parse(data.intent.meta.proofs[0].custom.moment)),
    });
  }

  /** Has deliveries sent again that failed. */
  async retry(path) {
    const { traffic } = this.#context;
    const { text } = signed({ maxAge: 0 }, this.#key, {});
    await traffic.ask({ method: 'POST', path: `${path}/events/retry`, ledger: this.handle, text });
  }

  /** How many events of an effect, or calls of the bank, are not delivered yet: at least so many. */
  async waiting(path) {
    const open = ['pending', 'running', 'failed'].map((status) => `meta.status.$in[]=${status}`).join('&');
    const { status, text } = await this.#context.traffic.ask({
      path: `${path}/events?page.limit=20&${open}`,
      ledger: this.handle,
    });
    if (status !== 200) throw new Error(`${path}/events was answered ${status}: ${text}`);
    return readJson(text).data.length;
  }
}
