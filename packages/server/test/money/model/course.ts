import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import { newKey, signed, TestClient } from '../../support/client.js';
import { ok } from '../../support/scene.js';
import { MoneyScene } from '../scene.js';
import type { Deployment } from './deployment.js';
import type { Phase, ProcessNumber, Sent } from './draws.js';
import { type Claim, explain, formatWorld, NOTHING, type Result, WALLETS, type World } from './plain-model.js';

const DAY = 86_400_000;

const founder = newKey();
const stranger = newKey();

/** A ledger in which the founder may do everything, and a stranger may only send intents. */
export async function makeLedger(deployment: Deployment): Promise<string> {
  const access = [
    { action: 'any', record: 'any', signer: { public: founder.public } },
    { action: { $in: ['access', 'create', 'read', 'query'] }, record: 'any' },
  ];
  const config = { 'limits.aggregated.enabled': true };
  const { client } = await MoneyScene.make(deployment.url(0), [], { access, key: founder, config });
  return client.ledger!;
}

/** A sequence on its way: the worlds that may be, given all that was answered. */
export class Course {
  #worlds: readonly World[] = [NOTHING];
  #sent = 0;
  /** What was sent, with what became of it, for the message. */
  readonly #told: string[] = [];

  /** @param prefix of its wallets and intents in the ledger */
  constructor(
    private readonly deployment: Deployment,
    private readonly ledger: string,
    private readonly prefix: string,
  ) {}

  async makeWallets(): Promise<void> {
    const wallets = Object.entries(WALLETS).map(([handle, route]) => ({
      handle: this.#named(handle),
      ...(route ? { routes: [{ action: route.action, target: this.#named(route.target) }] } : {}),
    }));
    const client = this.#client(this.deployment.url(0));
    await Promise.all(wallets.map(async (data) => ok(await client.create('/wallets', data))));
  }

  async follow(phase: Phase): Promise<void> {
    const day = Math.floor(this.deployment.now() / DAY);
    for (const group of phase) {
      const told = await this.#sendAll(group);
      const worlds = new Map(
        this.#worlds.flatMap((world) => explain(world, told, day)).map((world) => [formatWorld(world), world]),
      );
      this.#told.push(JSON.stringify(told));
      expect(worlds.size, `${this.#told.join('\n')}\non ${this.#worlds.map(formatWorld).join(' or ')}`).toBeGreaterThan(
        0,
      );
      this.#worlds = [...worlds.values()];
    }
  }

  /** What wallets hold is what it is in one of the worlds. */
  async compare(): Promise<void> {
    const before = this.#worlds;
    const money = MoneyScene.of(this.#client(this.deployment.url(1)));
    const wallets = Object.keys(WALLETS);
    const held = await Promise.all(wallets.map((wallet) => money.balance(this.#named(wallet))));
    for (const [index, [available, reserved]] of held.entries()) {
      const wallet = wallets[index]!;
      expect(reserved, wallet).toBe(0);
      this.#worlds = this.#worlds.filter(({ balances }) => (balances.get(wallet) ?? 0n) === BigInt(available));
      expect(
        this.#worlds.length,
        `${wallet} has ${available}:\n${this.#told.join('\n')}\nled to ${before.map(formatWorld).join(' or ')}`,
      ).toBeGreaterThan(0);
    }
  }

  /** Sends intents at the same time. @returns each with what became of it */
  async #sendAll(group: readonly Sent[]) {
    const all = group.flatMap((one) =>
      Array.from({ length: one.copies }, (_, copy) => ({ ...one, to: ((one.to + copy) % 2) as ProcessNumber })),
    );
    const handles = await Promise.all(all.map((one) => this.#send(one)));
    await this.deployment.decide(handles);
    const query = handles.map((handle, index) => `data.handle.$in[${index}]=${handle}`).join('&');
    const { answer } = await this.deployment.ask(all[0]!.to, (url) =>
      this.#client(url).get(`/intents?page.limit=100&${query}`),
    );
    const found = new Map<string, Result>(
      ok(answer).body.data.map(({ data, meta }: RecordEnvelope) => [data.handle, meta.status as Result]),
    );
    return all.map((one, index) => {
      const result = found.get(handles[index]!)!;
      expect(['completed', 'rejected', 'pending'], handles[index]).toContain(result);
      return { ...one, result };
    });
  }

  /** Sends an intent until it is told to be stored: as a new one once, unless that answer was lost. @returns its handle */
  async #send({ claims, isPermitted, to, isTwice }: Sent): Promise<string> {
    this.#sent += 1;
    const handle = `${this.prefix}-${this.#sent}`;
    const body = signed({ handle, claims: claims.map((one) => this.#format(one)) }, isPermitted ? founder : stranger, {
      status: 'created',
      moment: new Date(this.deployment.now()).toISOString(),
    });
    const first = isTwice ? ([0, 1] as const) : [to];
    const answers = await Promise.all(
      first.map((to) => this.deployment.ask(to, (url) => this.#client(url).call('POST', '/intents', body))),
    );
    const statuses = answers.map(({ answer }) => answer.status).sort();
    const texts = answers.map(({ answer }) => answer.text).join('\n');
    const isLost = answers.some((one) => one.isLost);
    const known = isTwice ? [200, 200] : [200];
    const made = isTwice ? [200, 201] : [201];
    expect(isLost ? [known, made] : [made], texts).toContainEqual(statuses);
    return handle;
  }

  #client(url: string): TestClient {
    return new TestClient(url, founder, this.ledger);
  }

  #format(claim: Claim): JsonObject {
    const { action, amount } = claim;
    const symbol = { handle: 'usd' };
    const at = (name: string) => ({ handle: this.#named(name) });
    switch (action) {
      case 'issue':
        return { action, amount, symbol, target: at(claim.target) };
      case 'transfer':
        return { action, amount, source: at(claim.source), symbol, target: at(claim.target) };
      case 'destroy':
        return { action, amount, source: at(claim.source), symbol };
      case 'limit':
        return { action, amount, metric: claim.metric, symbol, wallet: at(claim.wallet) };
    }
  }

  #named(wallet: string): string {
    return `${this.prefix}-${wallet}`;
  }
}
