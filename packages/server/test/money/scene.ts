import type { JsonObject } from '@countersign/protocol';
import { expect } from 'vitest';
import { newLedger, OPEN, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';

/** A ledger with the symbol `usd` and wallets, and the ways to move money in it. */
export class MoneyScene {
  #count = 0;

  private constructor(readonly client: TestClient) {}

  /** @param wallets handles, or the data of wallets */
  static async make(
    url: string,
    wallets: readonly (string | JsonObject)[] = ['alice', 'bob'],
    options: { access?: JsonObject[]; config?: JsonObject; key?: TestKey } = {},
  ): Promise<MoneyScene> {
    const client = await newLedger(url, { access: OPEN as JsonObject[], ...options });
    const scene = new MoneyScene(client);
    await stored(client, 'symbol', { handle: 'usd', factor: 100 });
    await scene.add(wallets);
    return scene;
  }

  /** The same ledger, through another server. */
  static of(client: TestClient): MoneyScene {
    return new MoneyScene(client);
  }

  /** Adds wallets. @param wallets handles, or the data of wallets */
  async add(wallets: readonly (string | JsonObject)[]): Promise<void> {
    for (const wallet of wallets)
      await stored(this.client, 'wallet', typeof wallet === 'string' ? { handle: wallet } : wallet);
  }

  /** Waits until an intent has that status, and gives it. One that has ended otherwise never will: that is told with its failure. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
  async ends(handle: string, status: string): Promise<any> {
    const intent = await eventually(async () => {
      const { meta, ...others } = await this.read(handle);
      if (meta.status !== 'completed' && meta.status !== 'rejected') expect(meta.status).toBe(status);
      return { meta, ...others };
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const failed = intent.meta.proofs.find(({ custom }: any) => custom?.status === 'failed');
    expect(intent.meta.status, JSON.stringify(failed?.custom)).toBe(status);
    return intent;
  }

  /** What a wallet holds of a symbol: available, reserved. */
  async balance(wallet: string, symbol = 'usd'): Promise<[available: number, reserved: number]> {
    const answer = await this.client.get(`/wallets/${encodeURIComponent(wallet)}/balances?data.symbol=${symbol}`);
    expect(answer.status, answer.text).toBe(200);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const of = (schema: string) => answer.body.data.find(({ data }: any) => data.schema === schema)?.data.amount ?? 0;
    return [of('available'), of('reserved')];
  }

  /** Sends an intent; its answer is 201. @returns the handle */
  async intend(claims: readonly JsonObject[], more: JsonObject = {}): Promise<string> {
    const { answer, handle } = await this.send(claims, more);
    expect(answer.status, answer.text).toBe(201);
    return handle;
  }

  async send(claims: readonly JsonObject[], more: JsonObject = {}): Promise<{ answer: TestAnswer; handle: string }> {
    this.#count += 1;
    const handle = `i-${this.#count}`;
    return { handle, answer: await this.client.create('/intents', { handle, claims: [...claims], ...more }) };
  }

  /** Issues to a wallet, and sees it done. */
  async issue(target: string, amount: number, symbol = 'usd'): Promise<string> {
    return this.done([issue(target, amount, symbol)]);
  }

  /** Sends an intent that completes. */
  async done(claims: readonly JsonObject[], more: JsonObject = {}): Promise<string> {
    const handle = await this.intend(claims, more);
    expect((await this.read(handle)).meta.status, handle).toBe('completed');
    return handle;
  }

  /** Sends an intent that is rejected. @returns its `failed` proof's custom, without the moment */
  async rejected(claims: readonly JsonObject[], more: JsonObject = {}): Promise<JsonObject> {
    const { meta } = await this.read(await this.intend(claims, more));
    expect(meta.status).toBe('rejected');
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const { moment: _, ...failed } = meta.proofs.find(({ custom }: any) => custom.status === 'failed').custom;
    return failed;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
  async read(handle: string): Promise<any> {
    const answer = await this.client.get(`/intents/${handle}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  }

  /** The proofs of an intent after its creation: signer (`bare core` without one) and what they say but for the moment. */
  async trail(handle: string): Promise<[signer: string, said: JsonObject][]> {
    const { meta } = await this.read(handle);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    return meta.proofs.slice(3).map(({ signer = 'bare', custom: { moment: _, ...said } }: any) => [signer, said]);
  }
}

export function issue(target: string, amount: number, symbol = 'usd'): JsonObject {
  return { action: 'issue', amount, symbol: { handle: symbol }, target: { handle: target } };
}

export function transfer(source: string, target: string, amount: number, symbol = 'usd'): JsonObject {
  return {
    action: 'transfer',
    amount,
    source: { handle: source },
    symbol: { handle: symbol },
    target: { handle: target },
  };
}

export function destroy(source: string, amount: number, symbol = 'usd'): JsonObject {
  return { action: 'destroy', amount, source: { handle: source }, symbol: { handle: symbol } };
}

export function limit(wallet: string, metric: string, amount: number, symbol = 'usd'): JsonObject {
  return { action: 'limit', amount, metric, symbol: { handle: symbol }, wallet: { handle: wallet } };
}
