import { isRefusal, type Ledger } from '@countersign/client';
import { isObject, type Json } from '@countersign/protocol';
import type { Invocation } from '../../description/invocation.js';
import { claimText } from '../../money/claim.js';
import { factorsOf } from '../../money/symbols.js';
import { formatRecord } from '../../terminal/record-text.js';

/** Writes an intent as the result: for people a line for each claim, in whole units where the symbols may be read. */
export async function writeIntent({ output }: Invocation, ledger: Ledger, intent: unknown): Promise<void> {
  if (output.isJson) return output.result(intent as Json, () => '');
  const text = await intentText(ledger, intent);
  output.result(intent as Json, () => text);
}

async function intentText(ledger: Ledger, intent: unknown): Promise<string> {
  const { claims } = (intent as { data: { claims?: unknown } }).data;
  if (!Array.isArray(claims)) return formatRecord('Intent', intent);
  const factorOf = factorsOf(ledger);
  const lines: string[] = [];
  for (const claim of claims as Json[]) lines.push(claimText(claim, await lookUpFactor(factorOf, claim)));
  return formatRecord('Intent', intent, { claims: ['claim', lines] });
}

async function lookUpFactor(factorOf: (symbol: string) => Promise<number>, claim: Json): Promise<number | undefined> {
  const symbol = isObject(claim) ? claim.symbol : undefined;
  const handle = isObject(symbol) ? symbol.handle : symbol;
  if (typeof handle !== 'string') return undefined;
  try {
    return await factorOf(handle);
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
