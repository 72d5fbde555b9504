import { findKind } from '../kinds/kinds.js';

/** What the address of the page about rules keeps: what is asked. */
export interface AccessSearch {
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  readonly action?: string | undefined;
  /** A public key; who is signed in unless given. */
  readonly key?: string | undefined;
}

/** What of an address is that of the page about rules: a kind is one of the interface's. */
export function readAccessSearch({ kind, id, action, key }: AccessSearch): AccessSearch {
  return {
    // Left out, the router would put in what the address says.
    ...(kind ? { kind: findKind(kind)?.record } : {}),
    ...(id ? { id } : {}),
    ...(action ? { action } : {}),
    ...(key ? { key } : {}),
  };
}
