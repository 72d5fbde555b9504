import type { JsonObject } from '@countersign/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newKey, signed, TestClient, type TestKey } from '../support/client.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { ok } from '../support/scene.js';
import { type RunningServer, startServer } from '../support/server.js';
import { checkBooks } from './invariants.js';
import { apply, type Claim, explain, type Intended, NOTHING, type Result, WALLETS, type World } from './plain-model.js';
import { checkReplay } from './replay.js';
import { MoneyScene } from './scene.js';
import { movedClock } from './under-way.js';

/** Sequences in all: so many at a time, on wallets of their own in one ledger. */
const TOGETHER = 10;
const RUNS = (process.env.LONG_TESTS ? 5_000 : 30) / TOGETHER;
const DAY = 86_400_000;

/** An intent of a sequence, which may be sent twice at the same time. */
interface Sent extends Intended {
  readonly isTwice: boolean;
}

/** Intents that are sent at the same time, after one another, on one day. */
type Phase = readonly (readonly Sent[])[];

const wallet = fc.constantFrom(...Object.keys(WALLETS));
const address = fc.oneof({ arbitrary: wallet, weight: 30 }, { arbitrary: fc.constant('nobody'), weight: 1 });
const amount = fc.oneof(
  { arbitrary: fc.integer({ min: 1, max: 30 }), weight: 30 },
  { arbitrary: fc.constant(Number.MAX_SAFE_INTEGER), weight: 1 },
);
const bound = fc.oneof(
  fc.record({
    metric: fc.constantFrom('minBalance', 'maxBalance', 'dailyAmount'),
    amount: fc.integer({ min: -20, max: 60 }),
  }),
  fc.record({ metric: fc.constant('dailyCount'), amount: fc.integer({ min: 0, max: 6 }) }),
);
const claim: fc.Arbitrary<Claim> = fc.oneof(
  { arbitrary: fc.record({ action: fc.constant('issue' as const), target: address, amount }), weight: 4 },
  {
    arbitrary: fc.record({ action: fc.constant('transfer' as const), source: address, target: address, amount }),
    weight: 8,
  },
  { arbitrary: fc.record({ action: fc.constant('destroy' as const), source: wallet, amount }), weight: 2 },
  {
    arbitrary: fc.tuple(wallet, bound).map(([one, set]) => ({ action: 'limit' as const, wallet: one, ...set })),
    weight: 3,
  },
);
const sent: fc.Arbitrary<Sent> = fc.record({
  claims: fc.array(claim, { minLength: 1, maxLength: 3 }),
  isPermitted: fc.oneof({ arbitrary: fc.constant(true), weight: 9 }, { arbitrary: fc.constant(false), weight: 1 }),
  isTwice: fc.oneof({ arbitrary: fc.constant(false), weight: 5 }, { arbitrary: fc.constant(true), weight: 1 }),
});
const phase: fc.Arbitrary<Phase> = fc.array(fc.array(sent, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});
const sequence = fc.array(phase, { minLength: 2, maxLength: 3 });

const founder = newKey();
const stranger = newKey();
const clock = movedClock();
let database: TestDatabase;
let server: RunningServer;
let money: MoneyScene;

beforeAll(async () => {
  clock.set('2031-01-01T12:00:00.000Z');
  database = await createDatabase();
  server = await startServer({ database, runtime: clock });
  money = await makeLedger();
});

afterAll(async () => {
  await server.stop();
  await database.drop();
});

function makeLedger(): Promise<MoneyScene> {
  const access = [
    { action: 'any', record: 'any', signer: { public: founder.public } },
    { action: { $in: ['access', 'create', 'read', 'query'] }, record: 'any' },
  ];
  return MoneyScene.make(server.url, [], { access, key: founder, config: { 'limits.aggregated.enabled': true } });
}

/** A sequence on its way: the worlds that may be, given all that was answered. */
class Course {
  #worlds: readonly World[] = [NOTHING];
  #sent = 0;
  /** What was sent, with what became of it, for the message. */
  readonly #told: string[] = [];

  constructor(readonly prefix: string) {}

  async makeWallets(): Promise<void> {
    const wallets = Object.entries(WALLETS).map(([handle, route]) => ({
      handle: this.#named(handle),
      ...(route ? { routes: [{ action: route.action, target: this.#named(route.target) }] } : {}),
    }));
    await Promise.all(wallets.map(async (data) => ok(await money.client.create('/wallets', data))));
  }

  async follow(groups: Phase, day: number): Promise<void> {
    for (const group of groups) {
      const results = await Promise.all(group.map((one) => this.#send(one)));
      const told = group.map((one, index) => ({ ...one, result: results[index]! }));
      const worlds = new Map(
        this.#worlds.flatMap((world) => explain(world, told, day)).map((world) => [text(world), world]),
      );
      this.#told.push(JSON.stringify(told));
      expect(worlds.size, `${this.#told.join('\n')}\non ${this.#worlds.map(text).join(' or ')}`).toBeGreaterThan(0);
      this.#worlds = [...worlds.values()];
    }
    const before = this.#worlds;
    for (const wallet of Object.keys(WALLETS)) {
      const { body } = await money.client.get(`/wallets/${this.#named(wallet)}/balances`);
      const rows = body.data.map(({ data }: { data: JsonObject }) => data);
      for (const { schema, amount } of rows) if (schema === 'reserved') expect(amount).toBe(0);
      const available = rows.find(({ schema }: JsonObject) => schema === 'available')?.amount ?? 0;
      this.#worlds = this.#worlds.filter(({ balances }) => (balances.get(wallet) ?? 0n) === BigInt(available));
      expect(
        this.#worlds.length,
        `${wallet} has ${available}:\n${this.#told.join('\n')}\nled to ${before.map(text).join(' or ')}`,
      ).toBeGreaterThan(0);
    }
  }

  async #send({ claims, isPermitted, isTwice }: Sent): Promise<Result> {
    this.#sent += 1;
    const handle = `${this.prefix}-${this.#sent}`;
    const key: TestKey = isPermitted ? founder : stranger;
    const body = signed({ handle, claims: claims.map((one) => this.#format(one)) }, key, {
      status: 'created',
      moment: new Date(clock.now()).toISOString(),
    });
    const answers = await Promise.all(
      [body, ...(isTwice ? [body] : [])].map((one) => money.client.call('POST', '/intents', one)),
    );
    expect(answers.map(({ status }) => status).sort(), answers[0]!.text).toEqual(isTwice ? [200, 201] : [201]);
    const { status } = (await money.read(handle)).meta;
    expect(['completed', 'rejected', 'pending']).toContain(status);
    return status;
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

/** A world as a text, by which equal ones are told. */
function text({ balances, limits }: World): string {
  const plain = (map: ReadonlyMap<string, unknown>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([plain(balances), plain(limits)], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

it('does with intents what a plain model does, in some order of those sent at the same time', async () => {
  let run = 0;
  const property = fc.asyncProperty(
    fc.array(sequence, { minLength: TOGETHER, maxLength: TOGETHER }),
    fc.integer({ min: 0, max: 9 }),
    async (sequences, chance) => {
      run += 1;
      if (run % 50 === 0) money = await makeLedger();
      const courses = sequences.map((_, index) => new Course(`s${run}-${index}`));
      await Promise.all(courses.map((course) => course.makeWallets()));
      for (let at = 0; at < 3; at += 1) {
        const day = Math.floor(clock.now() / DAY);
        await Promise.all(courses.map((course, index) => course.follow(sequences[index]![at] ?? [], day)));
        if (chance >= 5) clock.move(DAY);
      }
      if (chance === 0) await restart();
    },
  );
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  await checkBooks(database.url);
  await checkReplay(database.url);
});

async function restart(): Promise<void> {
  const { client } = money;
  await server.stop();
  server = await startServer({ database, runtime: clock });
  Object.assign(money, { client: new TestClient(server.url, client.key, client.ledger) });
}

it('the model itself overdraws nothing', () => {
  const at = (claims: Claim[]) => apply(NOTHING, { claims, isPermitted: true }, 0).result;
  expect(at([{ action: 'transfer', source: 'a', target: 'b', amount: 1 }])).toBe('rejected');
  expect(at([{ action: 'issue', target: 'forwards', amount: 1 }])).toBe('completed');
});
