import { isObject, type JsonObject, type StoredProof } from '@countersign/protocol';
import { LONGEST_NAME } from './bounds.js';
import { jsonText } from './json/json-text.js';

/** One side of a claim, as its `resolved` proof has it (interface/intents#entries). */
export interface PlannedEntry {
  readonly handle: string;
  readonly side: 'debit' | 'credit';
  readonly wallet: string;
  readonly symbol: string;
  readonly amount: number;
  readonly bridge?: string;
  /** The number of its claim, from 0. */
  readonly claim: number;
}

const SIDES: ReadonlyMap<unknown, readonly ('debit' | 'credit')[]> = new Map([
  ['issue', ['credit']],
  ['transfer', ['debit', 'credit']],
  ['destroy', ['debit']],
]);

/** What is wrong with the entries of an intent: each claim has its sides, in order, with its own amount and symbol. */
export function planDefect(data: JsonObject, resolved: readonly StoredProof[]): string | undefined {
  const wanted = claimsOfPlan(data).flatMap((claim, index) =>
    (SIDES.get(claim.action) ?? []).map((side) => ({ claim, index, side })),
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
      said.symbol === handleInAddress(claim.symbol);
    // Less than 1 would take from who is credited.
    if (!isWholeAmount(claim.amount) || claim.amount < 1) return `has a claim ${index} without an amount`;
    if (!isRight) return `has an entry ${at + 1} that is not the ${side} of claim ${index}`;
    if (!isNameText(said.handle) || !isNameText(said.wallet)) return `has an entry ${at + 1} without names`;
  }
  return undefined;
}

/** The entries of an intent whose plan has no defect. */
export function entriesOf(resolved: readonly StoredProof[]): PlannedEntry[] {
  return resolved
    .map(({ custom }) => custom as unknown as PlannedEntry & { schema: 'debit' | 'credit'; inputs: number[] })
    .map((said) => ({
      handle: said.handle,
      side: said.schema,
      wallet: said.wallet,
      symbol: said.symbol,
      amount: said.amount,
      bridge: said.bridge,
      claim: said.inputs[0] as number,
    }));
}

/** Whether the limits of a plan are other ones than the claims set. The wallets are those that the addresses led to. */
export function limitDefect(data: JsonObject, limits: readonly JsonObject[]): boolean {
  const wanted = claimsOfPlan(data).flatMap((claim, index) => (claim.action === 'limit' ? [{ claim, index }] : []));
  if (wanted.length !== limits.length) return true;
  return wanted.some(({ claim, index }, at) => {
    const { claim: claimed, symbol, metric, amount } = limits[at]!;
    const isSame = claimed === index && metric === claim.metric && amount === claim.amount;
    return !isSame || symbol !== handleInAddress(claim.symbol);
  });
}

/** What is wrong with the claims that set limits: below what is no number nothing is. */
export function limitClaimDefect(data: JsonObject): string | undefined {
  const isOne = claimsOfPlan(data).some(({ action, amount }) => action === 'limit' && !isWholeAmount(amount));
  return isOne ? 'sets a limit without an amount' : undefined;
}

/** The claims that set limits, and have an amount. */
export function limitClaimsOf(data: JsonObject): { wallet: string; symbol: string; metric: string; amount: number }[] {
  return claimsOfPlan(data).flatMap(({ action, wallet, symbol, metric, amount }) =>
    action === 'limit' && isWholeAmount(amount)
      ? [{ wallet: handleInAddress(wallet), symbol: handleInAddress(symbol), metric: jsonText(metric), amount }]
      : [],
  );
}

function isNameText(text: unknown): boolean {
  return typeof text === 'string' && text.length <= LONGEST_NAME;
}

function isWholeAmount(amount: unknown): amount is number {
  return Number.isSafeInteger(amount);
}

function claimsOfPlan({ claims }: JsonObject): JsonObject[] {
  return Array.isArray(claims) ? claims.filter(isObject) : [];
}

/** An address is a handle, or an object with one (interface/intents#claims). */
function handleInAddress(address: unknown): string {
  return jsonText(isObject(address) ? address.handle : address);
}
