import { isObject, readJson } from '@countersign/protocol';
import { now } from '../ui/clock.js';

/** A tree of a log that this browser has seen, signed by the ledger. Each newer one must begin with it. */
export interface SeenTree {
  readonly size: number;
  /** The signed checkpoint, as evidence. */
  readonly checkpoint: string;
  readonly seen: string;
}

const TREE_PREFIX = 'countersign.tree ';

/** @param origin the name of the log: a log that is begun anew has another one */
export function findTree(server: string, origin: string): SeenTree | undefined {
  try {
    const value = readJson(localStorage.getItem(storedName(server, origin)) ?? '');
    return isObject(value as never) ? (value as unknown as SeenTree) : undefined;
  } catch {
    return undefined;
  }
}

export function rememberTree(server: string, origin: string, tree: Omit<SeenTree, 'seen'>): SeenTree {
  const whole = { ...tree, seen: new Date(now()).toISOString() };
  localStorage.setItem(storedName(server, origin), JSON.stringify(whole));
  return whole;
}

/** The name of the log that a ledger was seen to have, until somebody accepts another one. */
export function findLog(server: string, luid: string): string | undefined {
  return localStorage.getItem(`countersign.log ${server} ${luid}`) ?? undefined;
}

export function rememberLog(server: string, luid: string, origin: string): void {
  localStorage.setItem(`countersign.log ${server} ${luid}`, origin);
}

/** The policy that was pasted for a ledger: whose cosignatures count. */
export function findPolicy(server: string, luid: string): string {
  return localStorage.getItem(`countersign.policy ${server} ${luid}`) ?? '';
}

export function keepPolicy(server: string, luid: string, policy: string): void {
  const name = `countersign.policy ${server} ${luid}`;
  if (policy === '') localStorage.removeItem(name);
  else localStorage.setItem(name, policy);
}

function storedName(server: string, origin: string): string {
  return `${TREE_PREFIX}${server} ${origin}`;
}
