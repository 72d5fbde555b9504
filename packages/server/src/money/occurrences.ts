import type { Json, RecordEnvelope } from '@countersign/protocol';
import { type Occurrence, proofOf } from '../events/occurrence.js';
import { kindNamed } from '../kinds/registry.js';
import type { Draft, DraftVersion } from './draft.js';
import type { Member } from './member.js';
import type { Found } from './resolution/directory.js';

const INTENT = kindNamed('intent');
const WALLET = kindNamed('wallet');

/**
 * What the processing of an intent raises (interface/effects#signals): `intent-updated` and `intent-proofs-added` for its
 * versions; when its balances change, `balance-received` for each credit and `wallet-limited` for each limit.
 */
export function occurrencesOf({ draft, told, settled, state, parties }: Member): Occurrence[] {
  const raised: Occurrence[] = [];
  for (const { version, before } of told) {
    raised.push(
      ...proofOf(
        newVersion(draft, version),
        recordOf(draft, before),
        version.proofs - 1,
        before?.change ?? draft.stored,
      ),
    );
    if (settled && before === settled) raised.push(...settlementOf(draft, settled, state.plan!, parties));
  }
  return raised;
}

function settlementOf(
  draft: Draft,
  version: DraftVersion,
  { entries, limits }: NonNullable<Member['state']['plan']>,
  parties: Member['parties'],
): Occurrence[] {
  const intent = partOf('intent', { record: draft.recordAt(version), change: version.change });
  const about = (
    signal: string,
    { claim, wallet, amount }: { claim: number; wallet: string; amount: number },
    more: Occurrence['parts'] = {},
  ): Occurrence[] => {
    const { credited: to = parties[claim]?.wallet, symbol: of } = parties[claim] ?? {};
    if (!to || !of) return [];
    return [
      {
        signal,
        kind: WALLET,
        linked: wallet,
        domain: to.record.meta.domain,
        parts: { amount: toValue(amount), intent, symbol: partOf('symbol', of), wallet: partOf('wallet', to), ...more },
      },
    ];
  };
  return [
    ...entries.filter(({ side }) => side === 'credit').flatMap((entry) => about('balance-received', entry)),
    ...limits.flatMap((claim) => about('wallet-limited', claim, { metric: toValue(claim.metric) })),
  ];
}

function newVersion(draft: Draft, version: DraftVersion) {
  return { kind: INTENT, record: draft.recordAt(version), change: version.change };
}

function recordOf(draft: Draft, version: DraftVersion | undefined): RecordEnvelope {
  return version ? draft.recordAt(version) : draft.record;
}

function partOf(kind: 'intent' | 'wallet' | 'symbol', { record, change }: Found): Occurrence['parts'][string] {
  return { kept: { record: [kind, record.luid, change] }, value: record as unknown as Json };
}

function toValue(value: Json): Occurrence['parts'][string] {
  return { kept: { value }, value };
}
