import { Overloaded } from '../base/gather.js';
import { LruCache } from '../base/lru-cache.js';
import { threadTime } from '../base/thread-time.js';
import { handshakeLimits } from './outbound-limits.js';

/** Bounds the TLS handshakes with services, which tenants choose, by the processor time that they take of the event loop. */
export type Handshakes = ReturnType<typeof createHandshakes>;

/** The account of a handshake. */
export interface Handshake {
  /** Milliseconds that it has taken of the event loop. */
  readonly spent: number;
  /**
   * Has OpenSSL read what the service has sent: at once, or in a later turn of the event loop where handshakes have taken much of
   * this one.
   *
   * @param work reads it
   * @param refuse called in its place with the error where the ledger has to rest by then, or calls the host no more
   */
  read(work: () => void, refuse: (error: Error) => void): void;
}

/** Handshakes have taken too long: none is made for a while. That is no failure of the service's. */
export class HandshakesResting extends Overloaded {
  readonly code = 'EBUSY';

  /** @param milliseconds until one may begin */
  constructor(
    host: string,
    readonly milliseconds: number,
  ) {
    super(`TLS handshakes took too long, so none is made with ${host} now`);
  }
}

/** As `handshakeLimits` has them. */
type HandshakeBounds = Pick<typeof handshakeLimits, 'quick' | 'burst' | 'rest' | 'remembered' | 'halfLife'>;

/** What a ledger, or a ledger with one host, owes. */
interface Debt {
  /** When it has paid, by the clock. */
  readonly paid: number;
  /** Slow handshakes, of which those before count ever less; at `since`. */
  readonly slow: number;
  readonly since: number;
}

/**
 * What handshakes take of the event loop is a debt of the ledger, which time pays off: each millisecond takes ten, and ten more for each
 * slow one of the last while. With one host it takes twice that, so that a hostile one rests by itself, and its ledger calls the others.
 *
 * @param isCalled whether a ledger calls a host
 * @param bounds those of `limits` unless given
 * @param now milliseconds, of a clock that only goes forward
 * @param worked milliseconds that this thread has worked
 */
export function createHandshakes(
  isCalled: (ledger: number, host: string) => boolean = () => true,
  bounds: HandshakeBounds = handshakeLimits,
  now: () => number = () => performance.now(),
  worked: () => number = threadTime,
) {
  const { quick, burst, rest, remembered, halfLife } = bounds;
  const debts = new LruCache<string, Debt>(remembered);
  const owed = (debtor: string) => Math.max(0, (debts.get(debtor)?.paid ?? 0) - now());
  const slowOf = ({ slow, since }: Debt) => slow * 0.5 ** ((now() - since) / halfLife);
  const owe = (debtor: string, milliseconds: number, factor: number, isFirst: boolean) => {
    const known = debts.get(debtor);
    const slow = known ? slowOf(known) : 0;
    const paid = now() + owed(debtor) + milliseconds * factor * (1 + slow);
    debts.set(debtor, { paid, slow: slow + (isFirst ? 1 : 0), since: now() });
  };
  const hostOf = (ledger: number, host: string) => `${ledger} ${host}`;
  const waitOf = (ledger: number, host: string) =>
    Math.max(owed(String(ledger)) - burst.ledger * rest.ledger, owed(hostOf(ledger, host)) - burst.host * rest.host);
  const assertMayBegin = (ledger: number, host: string) => {
    const wait = waitOf(ledger, host);
    if (wait > 0) throw new HandshakesResting(host, wait);
  };
  const inTurn = shareTurns(quick, now, (ledger) => owed(String(ledger)));
  return {
    /** Asked before a connection is made. @throws Resting */
    assertMayBegin,
    /** Opens the account of a handshake of a ledger with a host, which is named with its port. */
    begin(ledger: number, host: string): Handshake {
      let spent = 0;
      const pay = (took: number) => {
        // Quick ones are free; one that is slow pays for all that it took.
        const isFirst = spent <= quick;
        const due = isFirst ? spent + took : took;
        spent += took;
        if (spent <= quick) return;
        owe(String(ledger), due, rest.ledger, isFirst);
        owe(hostOf(ledger, host), due, rest.host, isFirst);
      };
      return {
        get spent() {
          return spent;
        },
        read(work, refuse) {
          inTurn(ledger, () => {
            try {
              assertMayBegin(ledger, host);
              if (!isCalled(ledger, host)) throw new Error(`The calls to ${host} have ended`);
            } catch (error) {
              refuse(error as Error);
              return;
            }
            const [clock, time] = [now(), worked()];
            try {
              work();
            } finally {
              // Processor time comes in ticks, of which no more can have passed than the clock tells.
              pay(Math.min(now() - clock, worked() - time));
            }
          });
        },
      };
    },
  };
}

/**
 * Runs work at once, until it has taken so many milliseconds of a turn of the event loop; then in the turns that follow, that of the
 * ledger with the least debt first.
 */
function shareTurns(most: number, now: () => number, owed: (ledger: number) => number) {
  const waiting: { readonly ledger: number; readonly work: () => void }[] = [];
  let spent = 0;
  let isScheduled = false;
  const run = (work: () => void) => {
    const began = now();
    work();
    spent += now() - began;
  };
  const takeNext = () => {
    let [at, least] = [0, Number.POSITIVE_INFINITY];
    for (const [index, { ledger }] of waiting.entries()) {
      const debt = owed(ledger);
      if (debt < least) [at, least] = [index, debt];
    }
    return waiting.splice(at, 1)[0]!.work;
  };
  const next = () => {
    isScheduled = false;
    spent = 0;
    while (waiting.length > 0 && spent < most) run(takeNext());
    schedule();
  };
  const schedule = () => {
    if (isScheduled || (waiting.length === 0 && spent === 0)) return;
    isScheduled = true;
    setImmediate(next);
  };
  return (ledger: number, work: () => void) => {
    if (waiting.length > 0 || spent >= most) waiting.push({ ledger, work });
    else run(work);
    schedule();
  };
}
