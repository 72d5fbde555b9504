import { isObject, readJson } from '@countersign/protocol';
import { now } from '../ui/clock.js';

/** What this browser has seen of a ledger when it first came there. */
export interface Pin {
  /** The key of its `system`, base64. */
  readonly key: string;
  readonly luid: string;
  readonly handle: string;
  readonly server: string;
  /** When it was seen first. */
  readonly seen: string;
}

/** The ledger is signed for by another key, or is another ledger, than this browser has seen under that name. */
export class PinBroken extends Error {
  constructor(
    readonly pin: Pin,
    readonly shown: { readonly key: string | undefined; readonly luid: string | undefined },
  ) {
    super('The ledger has another key than before');
  }
}

/** The server answers for another ledger than the one that was asked for. */
export class OtherLedger extends Error {
  constructor(
    readonly asked: string,
    readonly shown: string,
  ) {
    super(`The ledger ${asked} was asked for, and the server has answered for ${shown}`);
  }
}

const PIN_PREFIX = 'countersign.pin ';

/** @param name a handle or luid of the ledger, as it was asked for */
export function findPin(server: string, name: string): Pin | undefined {
  return parsePin(localStorage.getItem(PIN_PREFIX + placeName(server, name)));
}

/**
 * Holds a ledger to what is remembered under each of its names, and remembers it under those that are new.
 *
 * @throws PinBroken where one of them was another ledger, or had another key
 */
export function holdToPins(seen: Omit<Pin, 'seen'>): { readonly kept: Pin; readonly isNew: boolean } {
  const { server, key, luid, handle } = seen;
  const before = [luid, handle].flatMap((name) => findPin(server, name) ?? []);
  const broken = before.find((pin) => pin.key !== key || pin.luid !== luid);
  if (broken !== undefined) throw new PinBroken(broken, { key, luid });
  const made = pinLedger(seen);
  return { kept: before[0] ?? made, isNew: before.length === 0 };
}

/** Remembers a ledger under both its names, where nothing is remembered yet. */
export function pinLedger(pin: Omit<Pin, 'seen'>): Pin {
  const whole = { ...pin, seen: new Date(now()).toISOString() };
  for (const name of [pin.luid, pin.handle]) {
    const place = PIN_PREFIX + placeName(pin.server, name);
    if (localStorage.getItem(place) === null) localStorage.setItem(place, JSON.stringify(whole));
  }
  return whole;
}

/** Forgets a ledger, so that it is met as for the first time. */
export function forgetPin({ server, luid, handle }: Pin): void {
  for (const name of [luid, handle]) localStorage.removeItem(PIN_PREFIX + placeName(server, name));
}

/** Every ledger that is remembered, each once. */
export function listPins(): Pin[] {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PIN_PREFIX));
  const pins = names.flatMap((name) => parsePin(localStorage.getItem(name)) ?? []);
  return [...new Map(pins.map((pin) => [placeName(pin.server, pin.luid), pin])).values()];
}

/** The server and the ledger as one name. */
export function placeName(server: string, ledger: string): string {
  return `${server} ${ledger}`;
}

function parsePin(stored: string | null): Pin | undefined {
  try {
    const value = stored === null ? undefined : readJson(stored);
    return isObject(value as never) ? (value as unknown as Pin) : undefined;
  } catch {
    return undefined;
  }
}
