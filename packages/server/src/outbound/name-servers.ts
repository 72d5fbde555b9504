import type { LookupAddress, RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { setTimeout as after } from 'node:timers/promises';
import { nameLimits } from './outbound-limits.js';

/** What name servers say of a name. */
export interface FoundAddresses {
  /** None where the name is missing, or has none; of each family `nameLimits.addresses` at most. */
  readonly addresses: readonly LookupAddress[];
  /** Milliseconds that they are good: none where a family may be missing. */
  readonly life: number;
  /** Whether a server did not say: another answer may come later. */
  readonly isUnsure: boolean;
}

/** Asks name servers for the addresses of a whole name, within so many milliseconds. */
export type AskServers = (name: string, within: number) => Promise<FoundAddresses>;

/** What is said of a name that is missing, has no address of the family, or cannot be one. */
const ABSENT_CODES: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/**
 * Asks by sockets of the event loop, and so holds none of the threads that `dns.lookup` does. Both families are asked for at
 * once; once one has come, the other gets little more time.
 *
 * @param servers in place of those of the system
 */
export function createNameServers(servers?: readonly string[]): AskServers {
  const { timeout, tries } = nameLimits;
  const resolver = new Resolver({ timeout, tries });
  if (servers) resolver.setServers(servers);
  return async (name, within) => {
    const until = performance.now() + within;
    const answers: AddressAnswer[] = [];
    const asked = [
      answerOf(resolver.resolve4(name, { ttl: true }), 4),
      answerOf(resolver.resolve6(name, { ttl: true }), 6),
    ].map((one) => one.then((answer) => void answers.push(answer)));
    const over = new AbortController();
    const deadline = (milliseconds: number) => after(milliseconds, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([Promise.race(asked), deadline(within)]);
    const left = Math.max(until - performance.now(), 0);
    const patience = answers.some(({ addresses }) => addresses.length > 0) ? nameLimits.other : left;
    await Promise.race([Promise.all(asked), deadline(Math.min(patience, left))]);
    over.abort();
    // In order of the families: IPv4 first.
    answers.sort((one, other) => one.family - other.family);
    const isUnsure = answers.length < asked.length || answers.some((answer) => answer.isUnsure);
    return {
      addresses: answers.flatMap(({ addresses }) => addresses),
      life: isUnsure ? 0 : Math.min(...answers.map(({ life }) => life)),
      isUnsure,
    };
  };
}

interface AddressAnswer extends FoundAddresses {
  readonly family: number;
}

async function answerOf(asking: Promise<readonly RecordWithTtl[]>, family: number): Promise<AddressAnswer> {
  try {
    const records = (await asking).slice(0, nameLimits.addresses);
    return {
      family,
      addresses: records.map(({ address }) => ({ address, family })),
      // Node.js leaves it out of some records of a long answer.
      life: 1_000 * Math.min(...records.map(({ ttl = 0 }: Partial<RecordWithTtl>) => ttl)),
      isUnsure: false,
    };
  } catch (error) {
    const isUnsure = !ABSENT_CODES.includes((error as NodeJS.ErrnoException).code);
    return { family, addresses: [], life: Number.POSITIVE_INFINITY, isUnsure };
  }
}
