import { setTimeout as pause } from 'node:timers/promises';
import { encodeBase64, type JsonObject } from '@countersign/protocol';
import { expect } from 'vitest';
import { type ServerProcess, startServerProcess } from '../deliveries/process.js';
import { issue, MoneyScene } from '../money/scene.js';
import { newKey, signed, systemKeyOf, type TestAnswer, TestClient } from '../support/client.js';
import { stored } from '../support/scene.js';
import { MirrorProcess } from './mirror-process.js';
import type { Wires } from './wires.js';

/** Milliseconds after which something counts as stuck, on however busy a machine. */
export const PATIENCE = 300_000;

const ACCOUNTS = ['x', 'y'];

interface DeliveryShown {
  readonly data: { readonly linked: string };
  readonly meta: { readonly output: unknown };
}

/** Two ledgers of a deployment: what is in the wallet `far` of `here` is what accounts hold `there`, symbol by symbol. */
export class JoinedLedgers {
  #server: ServerProcess;
  #mirror: MirrorProcess | undefined;
  readonly #key = newKey();
  here: MoneyScene;
  there: MoneyScene;
  #isOver = false;
  #ended: Promise<void> = Promise.resolve();
  #isUp: Promise<void> = Promise.resolve();

  private constructor(
    private readonly database: string,
    private readonly wires: Wires,
    server: ServerProcess,
    here: MoneyScene,
    there: MoneyScene,
  ) {
    this.#server = server;
    this.here = here;
    this.there = there;
  }

  static async make(database: string, wires: Wires): Promise<JoinedLedgers> {
    const server = await startOn(database);
    const here = await MoneyScene.make(server.url, ['alice', 'bob']);
    const there = await MoneyScene.make(server.url, ACCOUNTS);
    const joined = new JoinedLedgers(database, wires, server, here, there);
    await stored(here.client, 'signer', { handle: 'mirror', public: joined.#key.public, format: 'ed25519-raw' });
    const config = { server: wires.url };
    await stored(here.client, 'bridge', { handle: 'mirror', schema: 'rest', secure: [], config });
    await here.add([{ handle: 'far', bridge: 'mirror' }]);
    return joined;
  }

  /** Makes a symbol on both, so much of it in the wallet of alice and in each account. */
  async addSymbol(handle: string, amount: number): Promise<void> {
    for (const { client } of [this.here, this.there]) await stored(client, 'symbol', { handle, factor: 1 });
    const first = `${handle}-first`;
    const claims = [issue('alice', amount, handle), issue('far', ACCOUNTS.length * amount, handle)];
    await this.send('here', { handle: first, claims });
    await this.send('there', { handle: first, claims: ACCOUNTS.map((account) => issue(account, amount, handle)) });
    for (const side of ['here', 'there'] as const) {
      // Another server may still be taken for the leader: then it is only accepted at first.
      while ((await this.statusOf(first, side)) !== 'completed') await pause(50);
    }
  }

  /** Keeps a mirror running, each of which dies where it is told. @param deaths `acted:3`, one after the other */
  mirror(deaths: readonly string[]): void {
    this.#ended = (async () => {
      for (let life = 0; !this.#isOver; life += 1) {
        const { client } = this.here;
        const server = this.#server;
        this.#mirror = await MirrorProcess.start({
          ...{ LEDGER_URL: server.url, LEDGER: client.ledger ?? '', LEDGER_KEY: systemKeyOf(client) },
          ...{ BOOKS: this.there.client.ledger ?? '', DIES: deaths[life] ?? '' },
          ...{ PUBLIC: this.#key.public, SECRET: encodeBase64(this.#key.secret) },
        });
        this.wires.leadTo(this.#mirror.url);
        // While it was starting, all may have ended, or the server that it was told of.
        if (this.#isOver || server !== this.#server) await this.#mirror.stop('SIGKILL');
        else await this.#mirror.ended();
      }
    })();
  }

  /** Kills the server; another one takes over, and the mirror with it. */
  killServer(): Promise<void> {
    this.#isUp = this.#replaceServer();
    return this.#isUp;
  }

  async #replaceServer(): Promise<void> {
    this.#server.child.kill('SIGKILL');
    await this.#server.ended;
    this.#server = await startOn(this.database);
    const at = ({ client }: MoneyScene) => MoneyScene.of(new TestClient(this.#server.url, client.key, client.ledger));
    this.here = at(this.here);
    this.there = at(this.there);
    await this.#mirror?.stop('SIGKILL');
  }

  /** Sends an intent until it is answered, whatever happens to the server meanwhile. */
  async send(scene: 'here' | 'there', data: JsonObject): Promise<void> {
    const body = signed(data, this.here.client.key);
    const { status, text } = await this.persist(() =>
      this[scene].client.as(this.here.client.key).call('POST', '/intents', body),
    );
    expect([200, 201], text).toContain(status);
  }

  /** Decides on a held intent; one that is not held any more is left as it is. */
  async decide(handle: string, action: string): Promise<void> {
    const { body } = await this.persist(() => this.here.client.get(`/intents/${handle}`));
    await this.persist(() => this.here.client.prove(`/intents/${handle}`, body, { action }));
  }

  async statusOf(handle: string, side: 'here' | 'there' = 'here'): Promise<string> {
    return (await this.persist(() => this[side].client.get(`/intents/${handle}`))).body.meta.status;
  }

  /** Proofs and calls of an intent here, for a message. */
  async describe(handle: string): Promise<string> {
    const intent = await this.persist(() => this.here.client.get(`/intents/${handle}`));
    const calls = await this.persist(() => this.here.client.get('/bridges/mirror/events?page.limit=100'));
    const own = (calls.body.data as DeliveryShown[]).filter(({ data }) => data.linked === handle);
    return JSON.stringify([intent.body.meta.proofs, own.map(({ meta: { output: _, ...told } }) => told)]);
  }

  /** Has all calls that were given up made again, as an operator would. */
  async retry(): Promise<void> {
    const body = signed({ maxAge: 86_400_000 }, this.here.client.key, {});
    const { status, text } = await this.persist(() =>
      this.here.client.call('POST', '/bridges/mirror/events/retry', body),
    );
    expect(status, text).toBe(202);
  }

  /** Asks until there is an answer: who is killed does not give any. */
  async persist(ask: () => Promise<TestAnswer>): Promise<TestAnswer> {
    const late = performance.now() + PATIENCE;
    for (;;) {
      await this.#isUp;
      const answer = await ask().catch(() => undefined);
      if (answer && answer.status < 500 && answer.status !== 408) return answer;
      if (performance.now() > late) throw new Error(`There is no answer, but ${answer?.text}`);
      await pause(20);
    }
  }

  /** What is in `far`, and what the accounts hold together: the same, and nothing of it reserved. */
  async compare(symbol: string): Promise<void> {
    const far = await this.here.balance('far', symbol);
    const held = await Promise.all(ACCOUNTS.map((account) => this.there.balance(account, symbol)));
    const sum = held.reduce((all, [available, reserved]) => [all[0] + available, all[1] + reserved], [0, 0]);
    expect([far, sum], symbol).toEqual([[far[0], 0], far]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#mirror?.stop('SIGKILL');
    await this.#ended;
    this.#server.child.kill('SIGKILL');
    await this.#server.ended;
  }
}

function startOn(database: string): Promise<ServerProcess> {
  return startServerProcess({ database, background: { lease: 2_000, beat: 500 } });
}
