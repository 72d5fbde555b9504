/** A ledger's money as plainly as can be: numbers in maps, one intent after the other. */

export type Claim =
  | { readonly action: 'issue'; readonly target: string; readonly amount: number }
  | { readonly action: 'transfer'; readonly source: string; readonly target: string; readonly amount: number }
  | { readonly action: 'destroy'; readonly source: string; readonly amount: number }
  | { readonly action: 'limit'; readonly wallet: string; readonly metric: string; readonly amount: number };

export interface Intended {
  readonly claims: readonly Claim[];
  readonly isPermitted: boolean;
}

export type Result = 'completed' | 'rejected' | 'pending';

/** The wallets of the model, with their routes. */
export const WALLETS: Readonly<Record<string, { readonly action: string; readonly target: string } | undefined>> = {
  a: undefined,
  b: undefined,
  c: undefined,
  credited: { action: 'credit', target: 'c' },
  debited: { action: 'debit', target: 'a' },
  forwards: { action: 'forward', target: 'b' },
};

const PARTIES = ['source', 'target', 'wallet'];
const GREATEST = BigInt(Number.MAX_SAFE_INTEGER);

interface Limit {
  readonly amount: bigint;
  readonly day: number;
  readonly used: bigint;
}

export interface World {
  readonly balances: ReadonlyMap<string, bigint>;
  /** By wallet and metric. */
  readonly limits: ReadonlyMap<string, Limit>;
}

export const NOTHING: World = { balances: new Map(), limits: new Map() };

interface Move {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
  readonly amount: bigint;
  /** Whether another intent, of the ledger's own, makes it. */
  readonly isForward?: true;
}

/** What an intent leads to. */
export function apply(world: World, { claims, isPermitted }: Intended, day: number): { result: Result; world: World } {
  const names = claims.flatMap((claim) => Object.entries(claim).filter(([key]) => PARTIES.includes(key)));
  if (names.some(([, wallet]) => !(wallet in WALLETS))) return { result: 'rejected', world };
  if (!isPermitted) return { result: 'pending', world };
  const moves = claims.flatMap(movesOf);
  if (!isWithin(world, moves, day)) return { result: 'rejected', world };
  return { result: 'completed', world: settle(world, claims, moves, day) };
}

function movesOf(claim: Claim): Move[] {
  if (claim.action === 'limit') return [];
  const amount = BigInt(claim.amount);
  const from = 'source' in claim ? claim.source : undefined;
  const source = from !== undefined && WALLETS[from]?.action === 'debit' ? WALLETS[from].target : from;
  const to = 'target' in claim ? claim.target : undefined;
  const route = to === undefined ? undefined : WALLETS[to];
  const target = route?.action === 'credit' ? route.target : to;
  const move = { source, target, amount };
  return route?.action === 'forward' ? [move, { source: to, target: route.target, amount, isForward: true }] : [move];
}

function isWithin({ balances, limits }: World, moves: readonly Move[], day: number): boolean {
  const limit = (wallet: string, metric: string) => limits.get(`${wallet} ${metric}`);
  const sum = (of: (move: Move) => boolean) => moves.filter(of).reduce((all, { amount }) => all + amount, 0n);
  return Object.keys(WALLETS).every((wallet) => {
    const balance = balances.get(wallet) ?? 0n;
    const out = sum(({ source, isForward }) => source === wallet && !isForward);
    if (out > 0n && balance - out < (limit(wallet, 'minBalance')?.amount ?? 0n)) return false;
    if (out > GREATEST) return false;
    const into = sum(({ target }) => target === wallet);
    const first = sum(({ target, isForward }) => target === wallet && !isForward);
    const most = limit(wallet, 'maxBalance')?.amount ?? GREATEST;
    if (into > 0n && balance + into > GREATEST) return false;
    if (first > 0n && balance + first > most) return false;
    // What follows finds reserved what the first intent takes.
    if (into > first && balance - out + into > most) return false;
    const { count, amount } = transfersThrough(wallet, moves);
    if (count === 0n) return true;
    const counts = limit(wallet, 'dailyCount');
    if (counts && usedOn(counts, day) + count > counts.amount) return false;
    const amounts = limit(wallet, 'dailyAmount');
    return !amounts || usedOn(amounts, day) + amount <= amounts.amount;
  });
}

/** The intents that transfer through a wallet, and what they move in and out. */
function transfersThrough(wallet: string, moves: readonly Move[]): { count: bigint; amount: bigint } {
  const transfers = moves.filter(({ source, target }) => source !== undefined && target !== undefined);
  const through = transfers.filter(({ source, target }) => source === wallet || target === wallet);
  const own = through.some(({ isForward }) => !isForward) ? 1n : 0n;
  const count = own + BigInt(through.filter(({ isForward }) => isForward).length);
  const sides = through.flatMap(({ source, target, amount }) =>
    [source, target].flatMap((one) => (one === wallet ? [amount] : [])),
  );
  return { count, amount: sides.reduce((all, one) => all + one, 0n) };
}

function usedOn(limit: Limit, day: number): bigint {
  return limit.day === day ? limit.used : 0n;
}

function settle(world: World, claims: readonly Claim[], moves: readonly Move[], day: number): World {
  const balances = new Map(world.balances);
  for (const { source, target, amount } of moves) {
    if (source !== undefined) balances.set(source, (balances.get(source) ?? 0n) - amount);
    if (target !== undefined) balances.set(target, (balances.get(target) ?? 0n) + amount);
  }
  const limits = new Map(world.limits);
  const limited = new Set<string>();
  for (const claim of claims) {
    if (claim.action !== 'limit') continue;
    const key = `${claim.wallet} ${claim.metric}`;
    limited.add(claim.wallet);
    limits.set(key, { day, used: 0n, ...limits.get(key), amount: BigInt(claim.amount) });
  }
  for (const wallet of Object.keys(WALLETS)) {
    const { count, amount } = transfersThrough(wallet, moves);
    const own = moves.some(({ source, target, isForward }) => {
      return !isForward && source !== undefined && target !== undefined && (source === wallet || target === wallet);
    });
    const by = { dailyCount: count + (limited.has(wallet) && !own ? 1n : 0n), dailyAmount: amount };
    for (const metric of ['dailyCount', 'dailyAmount'] as const) {
      const limit = limits.get(`${wallet} ${metric}`);
      if (limit && by[metric] > 0n)
        limits.set(`${wallet} ${metric}`, { ...limit, day, used: usedOn(limit, day) + by[metric] });
    }
  }
  return { balances, limits };
}

/** A world as a text, by which equal ones are told. */
export function formatWorld({ balances, limits }: World): string {
  const plain = (map: ReadonlyMap<string, unknown>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([plain(balances), plain(limits)], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

type Told = Intended & { readonly result: Result };

/**
 * The worlds that intents sent at the same time may lead to, given what became of each: there must be an order in which
 * the ledger may have decided on them. Of intents that are the same one order is looked at.
 */
export function explain(world: World, intents: readonly Told[], day: number): readonly World[] {
  const sorts = new Map(intents.map((one) => [sortOf(one), one]));
  const counts = [...sorts.keys()].map((sort) => intents.filter((one) => sortOf(one) === sort).length);
  let states = new Map([['', { world, left: counts }]]);
  for (const _ of intents) {
    const next: typeof states = new Map();
    for (const { world, left } of states.values()) {
      for (const [at, one] of [...sorts.values()].entries()) {
        const applied = left[at]! > 0 ? apply(world, one, day) : undefined;
        if (applied?.result !== one.result) continue;
        const rest = left.with(at, left[at]! - 1);
        next.set(`${rest} ${formatWorld(applied.world)}`, { world: applied.world, left: rest });
      }
    }
    states = next;
  }
  return [...states.values()].map(({ world }) => world);
}

function sortOf({ claims, isPermitted, result }: Told): string {
  return JSON.stringify({ claims, isPermitted, result });
}
