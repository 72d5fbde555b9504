import type { Signed } from '@countersign/client';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { type KindDescription, LISTED_KINDS, recordName } from '../kinds/kinds.js';
import { scopeOf, useLedger } from '../session/context.js';
import type { KnownLedger, OpenLedger } from '../session/open-ledger.js';

/** Records that are read of each kind. */
export const SAMPLE = 100;

/** Effects whose deliveries are read. */
const MOST_EFFECTS = 10;

/** Milliseconds for which an overview is fresh enough. */
const SAMPLES_FRESH = 30_000;

/** The newest records of a kind; undefined where the caller may not read them, or before they are there. */
export interface Sample {
  readonly kind: KindDescription;
  readonly records: readonly Signed[] | undefined;
  readonly isRefused: boolean;
}

/** The newest records of every kind that has a list, verified by the client. */
export function useSamples(): readonly Sample[] {
  const ledger = useLedger();
  const found = useQueries({ queries: samplesOf(ledger) });
  return LISTED_KINDS.map((kind, at) => ({ kind, records: found[at]?.data, isRefused: found[at]?.isError === true }));
}

export function samplesOf(ledger: KnownLedger) {
  return LISTED_KINDS.map((kind) =>
    queryOptions({
      queryKey: [...scopeOf(ledger), 'sample', kind.record],
      queryFn: async () => (await ledger.client.kind(recordName(kind)).list({ limit: SAMPLE }).page(0)).items,
      staleTime: SAMPLES_FRESH,
    }),
  );
}

/** What the newest deliveries of the newest effects have come to. */
export function useDeliveryStates(effects: readonly Signed[] | undefined) {
  const ledger = useLedger();
  const luids = (effects ?? []).slice(0, MOST_EFFECTS).map(({ luid }) => luid);
  return useQuery({
    queryKey: [...scopeOf(ledger), 'deliveries', luids],
    queryFn: () => readStates(ledger, luids),
    enabled: luids.length > 0,
    staleTime: SAMPLES_FRESH,
  });
}

async function readStates({ client }: OpenLedger, effects: readonly string[]): Promise<string[]> {
  const states: string[] = [];
  for (const effect of effects) {
    const { items } = await client.effects.events(effect, { limit: SAMPLE }).page(0);
    states.push(...items.map(({ meta }) => String(meta.status)));
  }
  return states;
}
