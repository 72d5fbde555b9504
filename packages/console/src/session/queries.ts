import { QueryClient, queryOptions } from '@tanstack/react-query';
import { type Identity, identityAt, identityName, resume } from './identity.js';
import { type KnownLedger, type NamedLedger, nameLedger, type OpenLedger, openLedger } from './open-ledger.js';
import { placeName } from './pins.js';

/** The answers that the page keeps. The client tries again by itself, where that is of use. */
export const queries = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 10_000 } } });

/** Ledgers that are being opened, by the hash of their query. */
const opening = new Map<string, NamedLedger>();

/** The opening of a ledger, as one identity. */
export function openingOf(server: string, name: string, identity: Identity) {
  const queryKey = [server, name, identityName(identity), 'ledger'];
  const place = JSON.stringify(queryKey);
  return queryOptions({
    queryKey,
    queryFn: async (): Promise<OpenLedger> => {
      const named = nameLedger(server, name, identity);
      opening.set(place, named);
      try {
        return await openLedger(named);
      } finally {
        opening.delete(place);
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Starts to load the ledger, and, where its key is known, what the page will need. Nothing is shown before the record of the
 * ledger is verified.
 */
export async function askAhead(server: string, name: string, ask?: (ledger: KnownLedger) => void): Promise<void> {
  const place = placeName(server, name);
  await resume(place);
  const options = openingOf(server, name, identityAt(place));
  void queries.prefetchQuery(options);
  const ledger = queries.getQueryData(options.queryKey) ?? opening.get(JSON.stringify(options.queryKey));
  if (ledger?.pin !== undefined) ask?.(ledger as KnownLedger);
}
