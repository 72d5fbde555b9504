import { isRefusal } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';
import type { MoneyKeys } from './intent.js';

/** The ledger's keys: that of `system` is the one that this browser remembers, that of `core` is in a record signed with it. */
export function useMoneyKeys() {
  const ledger = useLedger();
  return useQuery({
    queryKey: [...scopeOf(ledger), 'money-keys'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<MoneyKeys> => {
      try {
        const core = await ledger.client.signers.get('core');
        return { system: ledger.pin.key, core: String(core.data.public) };
      } catch (error) {
        if (isRefusal(error)) return { system: ledger.pin.key, core: undefined };
        throw error;
      }
    },
  });
}
