import type { IncomingHttpHeaders } from 'node:http';

/** A ledger as a hop of a request: named by its luid, which is unique. */
interface Hop {
  readonly luid: string;
}

/** The `via` header of a call that a ledger makes for a request: the hops so far, then the ledger (RFC 9110 §7.6.3). */
export function makeVia({ luid }: Hop, { via }: IncomingHttpHeaders): string {
  return [...(via === undefined ? [] : [via]), `1.1 ${luid}`].join(', ');
}

/** Detects a loop of calls: whether `via` names this ledger. */
export function cameBack({ luid }: Hop, { via }: IncomingHttpHeaders): boolean {
  return via?.split(',').some((hop) => hop.trim().split(' ')[1] === luid) ?? false;
}
