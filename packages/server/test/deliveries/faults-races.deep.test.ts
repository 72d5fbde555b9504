import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newLedger, OPEN, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withTwoServers } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, addWebhook, loadDeliveries } from './scene.js';

const servers = withTwoServers({ deliveryAllowPrivate: true });
const receiver = withReceiver();

const RUNS = process.env.LONG_TESTS ? 1_000 : 25;

/** Something that was done, from the request to its answer, in the order of all such moments. */
interface Done {
  readonly from: number;
  readonly to: number;
}

/** An effect, from its create to its drop if it had one. */
interface Subscription {
  readonly luid: string;
  readonly path: string;
  readonly made: Done;
  dropped?: Done;
}

/** What a lane does, one after the other: `wallet` makes one; `toggle` makes the lane's effect, or drops it. */
type Step = 'wallet' | 'toggle';

class Race {
  readonly wallets = new Map<string, Done>();
  readonly subscriptions: Subscription[] = [];
  readonly #client: TestClient;
  #moments = 0;

  constructor(client: TestClient) {
    this.#client = client;
  }

  /** Takes the steps by turns at one server and the other, beginning with the lane's own. */
  async run(lane: number, steps: readonly Step[]): Promise<void> {
    const urls = servers.current.map(({ url }) => url);
    for (const [at, step] of steps.entries()) {
      const client = Object.assign(Object.create(this.#client), { url: urls[(lane + at) % 2]! }) as TestClient;
      if (step === 'toggle') await this.#toggle(lane, client);
      else {
        const name = `w-${lane}-${at}`;
        this.wallets.set(name, await this.#done(() => addWallet(client, name)));
      }
    }
  }

  async #toggle(lane: number, client: TestClient): Promise<void> {
    const handle = `e-${lane}`;
    const open = this.subscriptions.find(({ path, dropped }) => path === `/${handle}` && !dropped);
    if (open) {
      open.dropped = await this.#done(async () => {
        ok(await client.drop(`/effects/${handle}`, (await client.get(`/effects/${handle}`)).body));
      });
    } else {
      let luid = '';
      const made = await this.#done(async () => {
        luid = (await addWebhook(client, handle, `${receiver.url}/${handle}`)).luid;
      });
      this.subscriptions.push({ luid, path: `/${handle}`, made });
    }
  }

  async #done(work: () => Promise<unknown>): Promise<Done> {
    this.#moments += 1;
    const from = this.#moments;
    await work();
    this.#moments += 1;
    return { from, to: this.#moments };
  }
}

const lanes = fc.array(fc.array(fc.constantFrom<Step>('wallet', 'wallet', 'toggle'), { minLength: 1, maxLength: 4 }), {
  minLength: 2,
  maxLength: 4,
});

it('an effect is told of all that is made after its answer, and of nothing after that of its drop, by each process', async () => {
  const property = fc.asyncProperty(lanes, async (plans) => {
    receiver.received.length = 0;
    const client = await newLedger(servers.current[0].url, { access: OPEN });
    const race = new Race(client);
    await Promise.all(plans.map((steps, lane) => race.run(lane, steps)));
    const rows = await eventually(async () => {
      const found = await loadDeliveries(servers.databaseUrl, client);
      expect(found.filter(({ due }) => due !== null)).toEqual([]);
      return found;
    });
    const queued = rows.map(({ subscription, linked }) => `${subscription} ${linked}`);
    expect(new Set(queued).size).toBe(queued.length);
    for (const { luid, made, dropped = { from: Infinity, to: Infinity } } of race.subscriptions) {
      for (const [wallet, { from, to }] of race.wallets) {
        const isQueued = queued.includes(`${luid} ${wallet}`);
        if (from > made.to && to < dropped.from) expect([wallet, isQueued]).toEqual([wallet, true]);
        if (to < made.from || from > dropped.to) expect([wallet, isQueued]).toEqual([wallet, false]);
      }
    }
    // Each is delivered once, where the effect was not dropped before.
    const delivered = rows
      .filter(({ status }) => status === 'delivered')
      .map(({ effect, linked }) => `/${effect} ${linked}`);
    const received = receiver.received.map(({ path, body }) => `${path} ${body.data.wallet.data.handle}`);
    expect(received.sort()).toEqual(delivered.sort());
    const kept = race.subscriptions.filter(({ dropped }) => !dropped).map(({ luid }) => luid);
    expect(rows.filter(({ subscription, status }) => kept.includes(subscription) && status !== 'delivered')).toEqual(
      [],
    );
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
});
