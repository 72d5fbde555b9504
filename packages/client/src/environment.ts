import { Cryptography } from './cryptography.js';
import type { ConnectOptions, Fetch } from './options.js';

/** What a client stands on: its settings, time, chance and the network. */
export interface Environment {
  readonly options: ConnectOptions;
  readonly cryptography: Cryptography;
  readonly timeout: number;
  readonly fetch: Fetch;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Waits; rejects with the reason of the signal. */
  readonly sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** The environment of a program or page. */
export function environmentOf(given: ConnectOptions): Environment {
  const options = { ...given, server: given.server.replace(/\/+$/, '') };
  const { fetch = globalThis.fetch, timeout = 30_000 } = options;
  return {
    options,
    cryptography: new Cryptography(options.suite),
    timeout,
    // Browsers want it called without a receiver.
    fetch: (url, init) => fetch(url, init),
    // biome-ignore lint/plugin: here they are passed in
    now: () => Date.now(),
    // biome-ignore lint/plugin: here they are passed in
    random: () => Math.random(),
    sleep,
  };
}

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
