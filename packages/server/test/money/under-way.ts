import type { JsonObject } from '@countersign/protocol';
import type { Runtime } from '../../src/base/clock.js';
import { query } from '../events/support.js';
import { eventually } from '../support/eventually.js';
import type { RunningServer } from '../support/server.js';
import type { MoneyScene } from './scene.js';

/** A clock that goes as the machine's does, from wherever a test sets it to. */
export interface MovedClock extends Runtime {
  /** Sets it to a moment, ISO 8601. */
  set(moment: string): void;
  /** Moves it by so many milliseconds, back when they are negative. */
  move(by: number): void;
}

export function movedClock(): MovedClock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    set(moment) {
      offset = Date.parse(moment) - Date.now();
    },
    move(by) {
      offset += by;
    },
  };
}

/** Makes the worker of intents under way look now, rather than in its time. */
export async function wake(server: RunningServer): Promise<void> {
  await query(server, "select pg_notify('countersign_background', 'process-intents')");
}

/** Waits until an intent is final, and gives its status. */
export async function settled(money: MoneyScene, handle: string): Promise<string> {
  return eventually(async () => {
    const { status } = (await money.read(handle)).meta;
    if (status !== 'completed' && status !== 'rejected') throw new Error(`${handle} is ${status}`);
    return status;
  });
}

/** What a wallet has of a symbol: available, and reserved where there is such a row. */
export async function balanceOf(money: MoneyScene, wallet: string, symbol = 'usd'): Promise<number[]> {
  const { body } = await money.client.get(`/wallets/${wallet}/balances?data.symbol=${symbol}`);
  return body.data.map(({ data }: { data: { amount: number } }) => data.amount);
}

/** A custom of a proof without its moment. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into records
export function saidOf({ custom: { moment: _, ...said } }: any): JsonObject {
  return said;
}

/** Why an intent has failed. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into records
export function failureOf({ meta }: any): JsonObject | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
  const failed = meta.proofs.find(({ custom }: any) => custom.status === 'failed');
  return failed && saidOf(failed);
}
