import { isRefusal, type Ledger } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { scopeOf, useLedger } from '../session/context.js';

/** Members of a circle that are read. */
const MOST_CIRCLE_MEMBERS = 200;

/** Circles that are read. */
const CIRCLES = 50;

/** The members of a circle, by handle. */
export interface MembersFound {
  readonly handles: readonly string[];
  readonly hasMore: boolean;
}

/** The members of circles; `null` for those that may not be read. */
export type Circles = ReadonlyMap<string, MembersFound | null>;

export function useCircles(names: readonly string[]) {
  const ledger = useLedger();
  return useQuery({
    queryKey: [...scopeOf(ledger), 'circles', names],
    queryFn: () => readCircles(ledger.client, names),
  });
}

export async function readCircles(client: Ledger, names: readonly string[]): Promise<Circles> {
  const circles = new Map<string, MembersFound | null>();
  for (const name of names.slice(0, CIRCLES)) circles.set(name, await readMembers(client, name));
  return circles;
}

async function readMembers(client: Ledger, circle: string): Promise<MembersFound | null> {
  try {
    const all = await client.circles
      .signers(circle)
      .list({ limit: MOST_CIRCLE_MEMBERS })
      .all(MOST_CIRCLE_MEMBERS + 1);
    return {
      handles: all.slice(0, MOST_CIRCLE_MEMBERS).map(({ data }) => String(data.signer)),
      hasMore: all.length > MOST_CIRCLE_MEMBERS,
    };
  } catch (error) {
    if (isRefusal(error) || error instanceof TypeError) return null;
    throw error;
  }
}
