import type { LookupAddress } from 'node:dns';
import { LruCache } from '../base/lru-cache.js';
import { createWeightedSemaphore } from '../base/weighted-semaphore.js';
import { chargeCallers, createCallers } from './callers.js';
import { addressesHere, HOSTS_FILE, parseHosts } from './hosts-file.js';
import { type AskServers, createNameServers, type FoundAddresses } from './name-servers.js';
import { nameLimits } from './outbound-limits.js';
import { candidatesOf, parseSearchOrder, RESOLVER_FILE } from './search-order.js';
import { watchFile } from './watched-file.js';

/** The names of hosts that calls lead to (decision 0013). */
export type HostNames = ReturnType<typeof createHostNames>;

export interface NamesOptions {
  /** `address:port` of name servers, in place of those of the system. */
  readonly servers?: readonly string[];
  /** Paths, in place of those of the system. */
  readonly hostsFile?: string;
  readonly resolverFile?: string;
}

/** Outcome of a lookup, for as long as it is remembered. */
interface KnownAddresses {
  readonly addresses: readonly LookupAddress[];
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN' | undefined;
  readonly until: number;
}

/**
 * Resolves names as the system does: the hosts file, then name servers, in the order of the domains to search. Bounded in
 * time, and for each ledger in the number under way; what was found, or not, is remembered for some seconds.
 */
export function createHostNames(options: NamesOptions = {}) {
  const { hostsFile = HOSTS_FILE, resolverFile = RESOLVER_FILE, servers } = options;
  const { lookup: bounds, kept } = nameLimits;
  const hosts = watchFile(hostsFile, parseHosts);
  // The servers are those of the file as well: they are asked anew when it changes.
  const system = watchFile(resolverFile, (text) => ({
    order: parseSearchOrder(text),
    ask: createNameServers(servers),
  }));
  const memory = new LruCache<string, KnownAddresses>(kept.addresses, ({ addresses }) => addresses.length, kept.names);
  const underWay = new Map<string, Promise<KnownAddresses>>();
  const callers = createCallers();
  const charged = chargeCallers(callers);
  const take = createWeightedSemaphore(bounds);

  const resolve = async (name: string): Promise<KnownAddresses> => {
    const here = addressesHere(await hosts(), name.replace(/\.$/, ''));
    if (here) return remember({ addresses: here, life: 0, isUnsure: false });
    const { order, ask } = await system();
    return remember(await findFirst(candidatesOf(name, order), ask));
  };

  const begin = (name: string) => {
    const resolving = resolve(name)
      .then((found) => {
        memory.set(name, found);
        return found;
      })
      .finally(() => underWay.delete(name));
    underWay.set(name, resolving);
    return resolving;
  };

  const remembered = (name: string) => {
    const found = memory.get(name);
    return found && performance.now() < found.until ? found : underWay.get(name);
  };

  return {
    /** The calls that lookups are made for: each is counted for one of the ledgers that call the host. */
    callers,
    /**
     * The addresses of a host, one at least.
     *
     * @throws Error with the code `ENOTFOUND` for a name that has none; with `EAI_AGAIN` when that is not known
     */
    async lookup(host: string): Promise<readonly LookupAddress[]> {
      const name = host.toLowerCase();
      const found = await (remembered(name) ??
        charged(host, (ledger) =>
          // Another lookup may have found it meanwhile.
          take(ledger, 1, async () => remembered(name) ?? begin(name)).catch(() => TOO_MANY),
        ));
      if (found.code === undefined) return found.addresses;
      throw Object.assign(new Error(`getaddrinfo ${found.code} ${host}`), { code: found.code, hostname: host });
    },
  };
}

const TOO_MANY: KnownAddresses = { addresses: [], code: 'EAI_AGAIN', until: 0 };

function remember({ addresses, life, isUnsure }: FoundAddresses): KnownAddresses {
  const { least, greatest, failed } = nameLimits.life;
  const code = addresses.length > 0 ? undefined : isUnsure ? 'EAI_AGAIN' : 'ENOTFOUND';
  const kept = code === undefined ? Math.min(Math.max(life, least), greatest) : failed;
  return { addresses, code, until: performance.now() + kept };
}

/** The first of several names that has an address. All are asked for within the time of one lookup. */
async function findFirst(names: readonly string[], ask: AskServers): Promise<FoundAddresses> {
  const until = performance.now() + nameLimits.within;
  let isUnsure = false;
  for (const name of names) {
    const left = until - performance.now();
    if (left <= 0) {
      // It was not asked for.
      isUnsure = true;
      break;
    }
    const found = await ask(name, left);
    if (found.addresses.length > 0) return found;
    isUnsure ||= found.isUnsure;
  }
  return { addresses: [], life: 0, isUnsure };
}
