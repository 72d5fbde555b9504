import { signedBy } from './client.mjs';
import { short } from './report.mjs';
import { expect, Surprise } from './surprise.mjs';

/** Milliseconds to wait for an intent to be final, and between two looks at it. */
const PATIENCE = 15_000;
const PAUSE = 50;

/** The part of the story that moves money: between the wallets `shop` and `till`, in hundredths of `usd`. */
export class Payments {
  #story;

  constructor(story) {
    this.#story = story;
  }

  async tell() {
    await this.issue();
    await this.transfer();
    await this.overdraw();
    await this.balances();
  }

  async issue() {
    const { report, owner } = this.#story;
    report.step(
      'Issue money',
      'An intent says what is to happen to balances, all of it or nothing. The answer shows it as it was accepted.',
    );
    report.sent("POST /intents: handle float, issue 100.00 usd to shop, signed by the owner's key");
    const claim = { action: 'issue', target: { handle: 'shop' }, symbol: { handle: 'usd' }, amount: 100_00 };
    const { meta } = await this.#send('float', claim, owner);
    expect(meta.status === 'completed', `the issue is ${meta.status}`);
  }

  async transfer() {
    const { report, ada } = this.#story;
    report.step('Move it', 'The rules let Ada spend from wallets; only the owner may issue.');
    report.sent("POST /intents: handle payment-1, transfer 25.00 usd from shop to till, signed by Ada's key");
    const tell = ({ proofs }) => ['Its proofs say how it went, one for each step:', ...trailOf(proofs)];
    const { meta } = await this.#send('payment-1', transferOf(25_00), ada, tell);
    expect(meta.status === 'completed', `the transfer is ${meta.status}`);
  }

  async overdraw() {
    const { report, ada } = this.#story;
    report.step('Spend more than there is', 'It is accepted, decided on, and rejected with the reason.');
    report.sent("POST /intents: handle payment-2, transfer 75.01 usd from shop to till, signed by Ada's key");
    const tell = ({ proofs }) =>
      proofs.flatMap(({ custom: { reason, detail } }) => (reason ? [`${reason}: ${detail}`] : []));
    const { meta } = await this.#send('payment-2', transferOf(75_01), ada, tell);
    expect(meta.status === 'rejected', `a transfer of more than there is is ${meta.status}`);
  }

  async balances() {
    const { report } = this.#story;
    report.step('Look at the balances', 'Each is the sum of what intents have moved.');
    await this.#balance('shop', 'available 75.00 usd, reserved 0.00 usd');
    await this.#balance('till', 'available 25.00 usd');
  }

  /** Moves what is left in the shop to the till. */
  async empty() {
    const { report, ada } = this.#story;
    report.sent("POST /intents: handle closing, transfer 75.00 usd from shop to till, signed by Ada's key");
    const { meta } = await this.#send('closing', transferOf(75_00), ada);
    expect(meta.status === 'completed', `the transfer is ${meta.status}`);
  }

  /**
   * Sends an intent with one claim, and waits until it is final.
   *
   * @param tell lines about its `meta`, for the reader
   * @returns it as it is then
   */
  async #send(handle, claim, key, tell = () => []) {
    const { report, client, verifier } = this.#story;
    const meant = { ledger: client.ledger, record: 'intent' };
    const body = signedBy([key], { handle, claims: [claim] }, meant, { status: 'created' });
    const accepted = await client.call(201, 'POST', '/intents', body);
    report.answered(`201: ${accepted.luid}, hash ${short(accepted.hash)}, status ${accepted.meta.status}`);
    report.verified(verifier.check(accepted));
    report.sent(`GET /intents/${handle}`);
    const intent = await this.#final(handle);
    report.answered([`200: status ${intent.meta.status}`, ...tell(intent.meta)].join('\n'));
    report.verified(verifier.check(intent));
    return intent;
  }

  async #final(handle) {
    for (let waited = 0; waited < PATIENCE; waited += PAUSE) {
      const intent = await this.#story.client.call(200, 'GET', `/intents/${handle}`);
      if (intent.meta.status === 'completed' || intent.meta.status === 'rejected') return intent;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    throw new Surprise(`The intent ${handle} is not final after ${PATIENCE / 1000} seconds.`);
  }

  async #balance(wallet, expected) {
    const { report, client, verifier } = this.#story;
    report.sent(`GET /wallets/${wallet}/balances`);
    const list = await client.call(200, 'GET', `/wallets/${wallet}/balances`);
    const held = list.data
      .map(({ data: { schema, amount, symbol } }) => `${schema} ${(amount / 100).toFixed(2)} ${symbol}`)
      .join(', ');
    expect(held === expected, `the balances of ${wallet} are ${held} instead of ${expected}`);
    report.answered(`200: ${held}`);
    report.verified(verifier.check(list));
  }
}

function transferOf(amount) {
  return {
    action: 'transfer',
    source: { handle: 'shop' },
    target: { handle: 'till' },
    symbol: { handle: 'usd' },
    amount,
  };
}

/** A line for each proof: who signed, and what it says of the intent or of one side of a claim. */
function trailOf(proofs) {
  // Some of the ledger's proofs do not name its signer.
  const names = new Map(proofs.flatMap(({ public: key, signer }) => (signer ? [[key, signer]] : [])));
  return proofs.map(({ public: key, custom }) => {
    const { status, schema, amount, symbol, wallet, detail } = custom;
    const moved = amount ? `${(amount / 100).toFixed(2)} ${symbol}, ${wallet}` : '';
    const what = [schema, moved, detail].filter(Boolean).join(' ');
    return `${names.get(key).padEnd(7)} ${status.padEnd(10)} ${what}`.trimEnd();
  });
}
