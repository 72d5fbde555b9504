import { isObject, type JsonObject, type StoredProof } from '@countersign/protocol';

/** One side of a claim, as its `resolved` proof has it (interface/intents#entries). */
export interface PlannedEntry {
  readonly handle: string;
  readonly side: 'debit' | 'credit';
  readonly wallet: string;
  readonly symbol: string;
  readonly amount: number;
  readonly bridge?: string;
}

const SIDES: Readonly<Record<string, readonly ('debit' | 'credit')[]>> = {
  issue: ['credit'],
  transfer: ['debit', 'credit'],
  destroy: ['debit'],
  limit: [],
};

/** What is wrong with the entries of an intent: each claim has its sides, in order, with its own amount and symbol. */
export function planDefect(data: JsonObject, resolved: readonly StoredProof[]): string | undefined {
  const wanted = claimsOf(data).flatMap((claim, index) =>
    (SIDES[String(claim.action)] ?? []).map((side) => ({ claim, index, side })),
  );
  if (wanted.length !== resolved.length)
    return `has ${resolved.length} entries resolved, and its claims have ${wanted.length}`;
  for (const [at, { claim, index, side }] of wanted.entries()) {
    const said = resolved[at]!.custom ?? {};
    const claimed = Array.isArray(said.inputs) ? said.inputs[0] : undefined;
    const isRight =
      claimed === index &&
      said.schema === side &&
      said.amount === claim.amount &&
      said.symbol === handleOf(claim.symbol);
    if (!isRight) return `has an entry ${at + 1} that is not the ${side} of claim ${index}`;
    if (typeof said.handle !== 'string' || typeof said.wallet !== 'string')
      return `has an entry ${at + 1} without names`;
  }
  return undefined;
}

/** The entries of an intent whose plan has no defect. */
export function entriesOf(resolved: readonly StoredProof[]): PlannedEntry[] {
  return resolved
    .map(({ custom }) => custom as unknown as PlannedEntry & { schema: 'debit' | 'credit' })
    .map((said) => ({
      handle: said.handle,
      side: said.schema,
      wallet: said.wallet,
      symbol: said.symbol,
      amount: said.amount,
      ...(said.bridge === undefined ? {} : { bridge: said.bridge }),
    }));
}

/** Whether the limits of a plan are other ones than the claims set. The wallets are those that the addresses led to. */
export function limitDefect(data: JsonObject, limits: readonly JsonObject[]): boolean {
  const wanted = claimsOf(data).flatMap((claim, index) => (claim.action === 'limit' ? [{ claim, index }] : []));
  if (wanted.length !== limits.length) return true;
  return wanted.some(({ claim, index }, at) => {
    const { claim: claimed, symbol, metric, amount } = limits[at]!;
    const isSame = claimed === index && metric === claim.metric && amount === claim.amount;
    return !isSame || symbol !== handleOf(claim.symbol);
  });
}

/** The claims that set limits. */
export function limitClaimsOf(data: JsonObject): { wallet: string; symbol: string; metric: string; amount: number }[] {
  return claimsOf(data)
    .filter(({ action }) => action === 'limit')
    .map(({ wallet, symbol, metric, amount }) => ({
      wallet: handleOf(wallet),
      symbol: handleOf(symbol),
      metric: String(metric),
      amount: Number(amount),
    }));
}

function claimsOf({ claims }: JsonObject): JsonObject[] {
  return Array.isArray(claims) ? claims.filter(isObject) : [];
}

/** An address is a handle, or an object with one (interface/intents#claims). */
function handleOf(address: unknown): string {
  return isObject(address) ? String(address.handle) : String(address);
}
