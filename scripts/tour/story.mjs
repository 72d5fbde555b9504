import { randomBytes } from 'node:crypto';
import { newKey, proofOver, signedBy } from './client.mjs';
import { CUSTOMER, RULES } from './data.mjs';
import { Listener } from './listener.mjs';
import { checkLog } from './log.mjs';
import { Payments } from './payments.mjs';
import { short } from './report.mjs';
import { expect } from './surprise.mjs';

const CREATED = { status: 'created' };

/** Step by step through what a ledger does. `client`, `verifier` and `report` are the tour's own. */
export class Story {
  constructor({ client, verifier, report }) {
    this.client = client;
    this.verifier = verifier;
    this.report = report;
    this.owner = newKey();
    this.ada = newKey();
    this.ben = newKey();
    this.stranger = newKey();
    this.payments = new Payments(this);
  }

  async tell() {
    await this.server();
    await this.newLedger();
    await this.signers();
    await this.symbol();
    await this.wallet();
    await this.refusedStranger();
    await this.circle();
    await this.leftCircle();
    await this.update();
    await this.staleUpdate();
    await this.statusProof();
    await this.labels();
    await this.history();
    await this.payments.tell();
    await this.schema();
    await this.drop();
    await this.historyAfterDrop();
    await this.inLog();
    await this.event();
    await this.everything();
  }

  async server() {
    const { report, client } = this;
    report.step('Ask the server who it is');
    report.sent('GET /v2');
    const { data } = await client.call(200, 'GET', '');
    expect(data?.status === 'UP' && data.semver, 'the address does not answer like a ledger server');
    report.answered(`200: ${data.handle}, interface ${data.semver}, build ${data.build}, ${data.status}`);
  }

  async newLedger() {
    const { report, client, verifier, owner } = this;
    const handle = `tour-${randomBytes(4).toString('hex')}`;
    report.step(
      'Make a ledger',
      'A ledger is a tenant with rules and keys of its own. Whoever signs for it owns it. The rules of this one:',
      'the owner may do everything, the signer ada and the circle cashiers may work with wallets, ada may move money,',
      'everyone may read.',
    );
    report.sent(`POST /ledgers: handle ${handle}, signed by the owner's key ${owner.public.slice(0, 8)}…`);
    const data = { handle, signer: 'system', access: RULES };
    const body = signedBy([owner], data, { ledger: handle, record: 'ledger' }, CREATED);
    const record = await client.call(201, 'POST', '/ledgers', body);
    client.ledger = handle;
    const system = await client.call(200, 'GET', '/signers/system');
    verifier.trust(system.data.public);
    this.system = system.data.public;
    this.luid = record.luid;
    report.answered(`201: ${record.luid}. Its key to verify answers, GET /signers/system: ${system.data.public}`);
    verifier.check(system);
    report.verified(verifier.check(record));
  }

  async signers() {
    const { report, owner, ada } = this;
    report.step(
      'Register a signer',
      'A name for a public key. The owner vouches for it, and Ada shows that she has the key.',
    );
    report.sent('POST /signers: handle ada, signed by both keys');
    const data = { handle: 'ada', format: 'ed25519-raw', public: ada.public };
    const record = await this.#create('/signers', signedBy([owner, ada], data, this.#for('signer'), CREATED));
    this.#stored(record);
  }

  async symbol() {
    const { report, owner } = this;
    report.step('Make a symbol', 'A unit to count in: amounts are whole hundredths of it.');
    report.sent("POST /symbols: handle usd, factor 100, signed by the owner's key");
    this.#stored(
      await this.#create('/symbols', signedBy([owner], { handle: 'usd', factor: 100 }, this.#for('symbol'), CREATED)),
    );
  }

  async wallet() {
    const { report, ada } = this;
    report.step('Make a wallet', "The ledger finds Ada's name by her key, and decides by its rules.");
    report.sent("POST /wallets: handle shop, custom.tier silver, signed by Ada's key");
    const data = { handle: 'shop', custom: { tier: 'silver' } };
    this.shop = await this.#create('/wallets', signedBy([ada], data, this.#for('wallet'), CREATED));
    this.#stored(this.shop);
    const read = await this.client.call(200, 'GET', '/wallets/shop');
    expect(JSON.stringify(read) === JSON.stringify(this.shop), 'a read differs from what the write was answered with');
  }

  async refusedStranger() {
    const { report, stranger } = this;
    report.step('A stranger tries the same', 'No rule names the key, and what no rule grants is refused.');
    report.sent("POST /wallets: handle theirs, signed by a stranger's key");
    await this.#refused(
      'auth.forbidden',
      403,
      'POST',
      '/wallets',
      signedBy([stranger], { handle: 'theirs' }, this.#for('wallet'), CREATED),
    );
  }

  async circle() {
    const { report, owner, ben } = this;
    report.step('Let a colleague in', 'Rules name circles, so that people come and go without a change of the rules.');
    report.sent('POST /signers: handle ben, signed by both keys');
    const data = { handle: 'ben', format: 'ed25519-raw', public: ben.public };
    this.#stored(await this.#create('/signers', signedBy([owner, ben], data, this.#for('signer'), CREATED)));
    report.sent("POST /wallets: handle till, signed by Ben's key");
    const till = signedBy([ben], { handle: 'till' }, this.#for('wallet'), CREATED);
    await this.#refused('auth.forbidden', 403, 'POST', '/wallets', till);
    report.sent("POST /circles: handle cashiers, and POST /circles/cashiers/signers: ben, signed by the owner's key");
    await this.#create('/circles', signedBy([owner], { handle: 'cashiers' }, this.#for('circle'), CREATED));
    const member = signedBy([owner], { circle: 'cashiers', signer: 'ben' }, this.#for('circle-signer'), CREATED);
    this.member = await this.client.call(200, 'POST', '/circles/cashiers/signers', member);
    report.answered(`200: ${this.member.luid}, Ben is a cashier`);
    report.verified(this.verifier.check(this.member));
    report.sent('POST /wallets: the same wallet, the very same signature');
    this.#stored(await this.#create('/wallets', till));
  }

  async leftCircle() {
    const { report, owner, ben, member } = this;
    report.step('Take him out again', 'It counts from the next request on, whichever process takes it.');
    report.sent("DELETE /circles/cashiers/signers/ben, signed by the owner's key");
    const drop = signedBy(
      [owner],
      { parent: member.hash },
      this.#for('circle-signer'),
      { status: 'dropped' },
      member.luid,
    );
    await this.client.call(204, 'DELETE', '/circles/cashiers/signers/ben', drop);
    report.answered('204: gone');
    report.sent("POST /wallets: handle safe, signed by Ben's key");
    const safe = signedBy([ben], { handle: 'safe' }, this.#for('wallet'), CREATED);
    await this.#refused('auth.forbidden', 403, 'POST', '/wallets', safe);
  }

  async update() {
    const { report, ada, shop } = this;
    report.step('Change the wallet', 'An update is the whole new data, and names the version it replaces.');
    report.sent(`PUT /wallets/shop: custom.tier gold, parent ${short(shop.hash)}, signed by Ada's key`);
    const body = signedBy(
      [ada],
      { ...shop.data, custom: { tier: 'gold' }, parent: shop.hash },
      this.#for('wallet'),
      {},
      shop.luid,
    );
    this.updated = await this.client.call(200, 'PUT', '/wallets/shop', body);
    expect(this.updated.data.custom.tier === 'gold', 'the update is not in the answer');
    report.answered(`200: hash ${short(this.updated.hash)}, owners and status as before`);
    report.verified(this.verifier.check(this.updated));
  }

  async staleUpdate() {
    const { report, ada, shop, updated } = this;
    report.step('Change it from the old version', 'Two people edit at once: the second must look again first.');
    report.sent(`PUT /wallets/shop: custom.tier platinum, parent ${short(shop.hash)} once more`);
    const body = signedBy(
      [ada],
      { ...shop.data, custom: { tier: 'platinum' }, parent: shop.hash },
      this.#for('wallet'),
      {},
      shop.luid,
    );
    await this.#refused('crypto.parent-hash-invalid', 422, 'PUT', '/wallets/shop', body);
    const read = await this.client.call(200, 'GET', '/wallets/shop');
    expect(read.hash === updated.hash, 'a refused update changed the record');
  }

  async statusProof() {
    const { report, ada, updated } = this;
    report.step('Set its status', 'A proof alone can say something about a version; its data stays.');
    report.sent(`POST /wallets/shop/proofs: a proof over ${short(updated.hash)} that says status active`);
    const proof = proofOver(updated.hash, ada, this.#for('wallet'), { status: 'active' });
    const record = await this.client.call(200, 'POST', '/wallets/shop/proofs', proof);
    expect(record.meta.status === 'active' && record.hash === updated.hash, 'the status was not set');
    report.answered(`200: status ${record.meta.status}, hash as before`);
    report.verified(this.verifier.check(record));
  }

  async labels() {
    const { report, ada, updated } = this;
    report.step('Label it, and find it by the label');
    report.sent('POST /wallets/shop/proofs: labels {"$push": ["vip", "retail"]}');
    const proof = proofOver(updated.hash, ada, this.#for('wallet'), { labels: { $push: ['vip', 'retail'] } });
    this.labelled = await this.client.call(200, 'POST', '/wallets/shop/proofs', proof);
    expect(this.labelled.meta.labels?.join() === 'vip,retail', 'the labels were not set');
    report.answered(`200: labels ${this.labelled.meta.labels.join(', ')}`);
    report.verified(this.verifier.check(this.labelled));
    report.sent('GET /wallets?meta.labels=vip&data.custom.tier=gold');
    const list = await this.client.call(200, 'GET', '/wallets?meta.labels=vip&data.custom.tier=gold');
    expect(list.data.length === 1 && list.data[0].luid === this.shop.luid, 'the list does not show the wallet');
    report.answered(`200: ${list.data.map(({ data }) => data.handle).join()}. A list is signed as a whole, too`);
    report.verified(this.verifier.check(list));
  }

  async history() {
    const { report } = this;
    report.step('Read its history', 'Every version stays, with the proofs it had.');
    report.sent('GET /wallets/shop/changes');
    await this.#versions('/wallets/shop/changes', ['update', 'update', 'update', 'create']);
  }

  async schema() {
    const { report, owner, ada } = this;
    report.step(
      'Say what wallets must look like',
      'A JSON Schema is a record of the ledger. From now on each wallet must name one.',
    );
    report.sent('POST /schemas: handle customer, for wallets: custom.tier is silver, gold or platinum');
    const data = { handle: 'customer', record: 'wallet', format: 'json-schema', schema: CUSTOMER };
    this.#stored(await this.#create('/schemas', signedBy([owner], data, this.#for('schema'), CREATED)));
    report.sent('POST /wallets: handle kiosk, schema customer, custom.tier bronze');
    const bad = { handle: 'kiosk', schema: 'customer', custom: { tier: 'bronze' } };
    await this.#refused(
      'record.schema-invalid',
      422,
      'POST',
      '/wallets',
      signedBy([ada], bad, this.#for('wallet'), CREATED),
    );
  }

  async drop() {
    const { report, ada, labelled } = this;
    report.step('Drop the wallet', 'Not while there is money in it.');
    report.sent(`DELETE /wallets/shop: parent ${short(labelled.hash)}, signed by Ada's key, reason "closed"`);
    const custom = { status: 'dropped', reason: 'closed' };
    const body = signedBy([ada], { parent: labelled.hash }, this.#for('wallet'), custom, labelled.luid);
    await this.#refused('record.drop-rejected', 422, 'DELETE', '/wallets/shop', body);
    await this.payments.empty();
    report.sent('DELETE /wallets/shop: the same once more');
    await this.client.call(204, 'DELETE', '/wallets/shop', body);
    report.answered('204: gone');
    report.sent('GET /wallets/shop');
    await this.#refused('record.not-found', 404, 'GET', '/wallets/shop');
  }

  async historyAfterDrop() {
    const { report, labelled } = this;
    report.step('Read the history of what is gone', 'Under its luid, which no other record ever gets.');
    report.sent(`GET /wallets/${labelled.luid}/changes`);
    const actions = ['drop', 'update', 'update', 'update', 'create'];
    this.versions = await this.#versions(`/wallets/${labelled.luid}/changes`, actions);
  }

  async inLog() {
    const { report, client, shop, luid: ledger } = this;
    report.step(
      'See that nothing was left out',
      'Every change is a leaf of a log of which only the tip is signed. The leaf tells nothing without its salt, so',
      'anybody may hold the tip, and the ledger cannot take a leaf out, or show another log to others.',
    );
    const path = `/wallets/${shop.luid}/changes/1/inclusion`;
    report.sent(`GET ${path}`);
    const place = { ledger, kind: 'wallet', change: 1, action: 'create' };
    const { index, size, origin } = await checkLog(client, path, shop, place, this.system);
    report.answered(`200: leaf ${index} of ${size}, in ${origin}`);
    report.verified('the wallet as it was answered, its leaf, the tree, and the signature of the tip');
  }

  async event() {
    const { report, client, verifier, owner, ada } = this;
    report.step(
      'Be told of what happens',
      'An effect sends events to a service of yours, each signed by the ledger. Here the tour receives one itself.',
    );
    const listener = new Listener();
    try {
      await listener.open(this.system);
      report.sent(
        `POST /effects: handle watch, for wallet-created of tier gold, to ${listener.url}, by the owner's key`,
      );
      const action = { schema: 'webhook', endpoint: listener.url };
      const filter = { 'wallet.data.custom.tier': 'gold' };
      const data = { handle: 'watch', signal: 'wallet-created', filter, action };
      const effect = await this.#create('/effects', signedBy([owner], data, this.#for('effect'), CREATED));
      this.#stored(effect);
      report.sent("POST /wallets: handle corner, schema customer, custom.tier gold, signed by Ada's key");
      const gold = { handle: 'corner', schema: 'customer', custom: { tier: 'gold' } };
      const wallet = await this.#create('/wallets', signedBy([ada], gold, this.#for('wallet'), CREATED));
      this.#stored(wallet);
      const event = await listener.next(client, '/effects/watch');
      if (event) {
        report.received(`POST ${listener.url}: ${event.signal}, ${event.handle}`);
        expect(JSON.stringify(event.data.wallet) === JSON.stringify(wallet), 'the event shows another wallet');
        verifier.check(event.data.wallet);
        report.verified('headers, hash and the proof of system; the wallet in it is the one that was stored');
      } else {
        report.received(
          'nothing: this server calls public addresses only.\nDELIVERY_ALLOW_PRIVATE=true npm start shows it',
        );
      }
      report.sent("DELETE /effects/watch: signed by the owner's key");
      const drop = signedBy([owner], { parent: effect.hash }, this.#for('effect'), { status: 'dropped' }, effect.luid);
      await client.call(204, 'DELETE', '/effects/watch', drop);
      report.answered('204: gone, and no more is sent');
    } finally {
      await listener.close();
    }
  }

  async everything() {
    const { report, client, verifier } = this;
    report.step(
      'Verify all of it',
      'Every current record of the ledger, those it was born with included, from its lists.',
    );
    const kinds = ['signers', 'circles', 'symbols', 'wallets', 'intents', 'schemas', 'policies'];
    let records = 0;
    for (const kind of kinds) {
      const list = await client.call(200, 'GET', `/${kind}?page.limit=100`);
      verifier.check(list);
      for (const record of list.data) verifier.check(record);
      records += list.data.length;
    }
    report.sent(kinds.map((kind) => `GET /${kind}`).join(', '));
    report.answered(`${records} records`);
    report.verified(
      `${verifier.proofs} proofs in ${verifier.answers} answers, records and versions since step 2: all good`,
    );
  }

  /** What a proof says it is for, beside what it says: a record of this kind in the tour's ledger, and nothing else. */
  #for(record) {
    return { ledger: this.client.ledger, record };
  }

  #create(path, body) {
    return this.client.call(201, 'POST', path, body);
  }

  #stored(record) {
    this.report.answered(`201: ${record.luid}, hash ${short(record.hash)}, status ${record.meta.status}`);
    this.report.verified(this.verifier.check(record));
  }

  /** A request that must be refused, with an error that the ledger has signed. */
  async #refused(reason, status, method, path, body = undefined) {
    const error = await this.client.call(status, method, path, body);
    expect(error.data.reason === reason, `refused with ${error.data.reason} instead of ${reason}`);
    this.report.answered(`${status} ${reason}: ${error.data.detail}`);
    this.report.verified(this.verifier.check(error));
  }

  /** A history, newest version first, that must consist of these actions. */
  async #versions(path, actions) {
    const list = await this.client.call(200, 'GET', path);
    const found = list.data.map(({ meta }) => meta.action);
    expect(found.join() === actions.join(), `the history is ${found.join()} instead of ${actions.join()}`);
    const lines = list.data.map(({ hash, meta }) => {
      return `${meta.change} ${meta.action.padEnd(6)} ${short(hash)} status ${meta.status}, ${meta.proofs.length} proofs`;
    });
    this.report.answered(`200: ${list.page.total} versions\n${lines.join('\n')}`);
    this.verifier.check(list);
    for (const version of list.data) this.verifier.check(version);
    this.report.verified('hash and proofs of each version');
    return list.data;
  }
}
