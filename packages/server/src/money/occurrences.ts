import type { Json } from '@countersign/protocol';
import { creationOf, type Occurrence, proofOf } from '../events/occurrence.js';
import { kindNamed } from '../kinds/registry.js';
import type { Intent, IntentVersion } from './intent.js';
import type { CurrentRecord, Parties, Plan } from './plan/plan.js';

const INTENT = kindNamed('intent');
const WALLET = kindNamed('wallet');

/**
 * What the processing of an intent raises (interface/effects#signals): `intent-updated` and `intent-proofs-added` for its
 * versions; when its balances change, `balance-received` for each credit and `wallet-limited` for each limit.
 */
export function occurrencesOf(intent: Intent): Occurrence[] {
  const { record, stored, told, settled, state } = intent;
  const { write, planned } = intent.input;
  const [first] = intent.versions;
  // The create of a client's intent has raised its own.
  const isNew = stored === 0 && !write;
  const raised = isNew ? creationOf({ kind: INTENT, record: intent.recordAt(first!), change: 1 }) : [];
  for (const { version, before } of told) {
    const made = { kind: INTENT, record: intent.recordAt(version), change: version.change };
    const earlier = before ? intent.recordAt(before) : record;
    raised.push(...proofOf(made, earlier, version.proofs - 1, before?.change ?? stored));
    if (settled && before === settled) {
      raised.push(...settlementOf(intent, settled, state.plan!, planned?.parties ?? []));
    }
  }
  return raised;
}

function settlementOf(
  of: Intent,
  version: IntentVersion,
  { entries, limits }: Plan,
  parties: readonly Parties[],
): Occurrence[] {
  const intent = partOf('intent', { record: of.recordAt(version), change: version.change });
  const about = (
    signal: string,
    { claim, wallet, amount }: { claim: number; wallet: string; amount: number },
    more: Occurrence['parts'] = {},
  ): Occurrence[] => {
    const { credited: to = parties[claim]?.wallet, symbol } = parties[claim] ?? {};
    if (!to || !symbol) return [];
    return [
      {
        signal,
        kind: WALLET,
        linked: wallet,
        domain: to.record.meta.domain,
        parts: {
          amount: toValue(amount),
          intent,
          symbol: partOf('symbol', symbol),
          wallet: partOf('wallet', to),
          ...more,
        },
      },
    ];
  };
  return [
    ...entries.filter(({ side }) => side === 'credit').flatMap((entry) => about('balance-received', entry)),
    ...limits.flatMap((claim) => about('wallet-limited', claim, { metric: toValue(claim.metric) })),
  ];
}

function partOf(kind: 'intent' | 'wallet' | 'symbol', { record, change }: CurrentRecord): Occurrence['parts'][string] {
  return { kept: { record: [kind, record.luid, change] }, value: record as unknown as Json };
}

function toValue(value: Json): Occurrence['parts'][string] {
  return { kept: { value }, value };
}
