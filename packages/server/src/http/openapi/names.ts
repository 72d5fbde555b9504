import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Route } from '../routes.js';

/** `createWallet`, `listWalletChanges`: unique among all routes, aliases included. */
export function operationId({ kind, operation, alias = '' }: Pick<Route, 'kind' | 'operation' | 'alias'>): string {
  return operation.description.id(pascal(kind.name), pascal(severalOf(kind))) + alias;
}

/** The summary of an operation, one line. */
export function summary({ kind, operation }: Pick<Route, 'kind' | 'operation'>): string {
  const title = kind.title.toLowerCase();
  const one = `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  return operation.description.summary(one, severalOf(kind).replace('-', ' '));
}

/** `signer-factors`: the path of a nested kind alone is ambiguous. */
function severalOf(kind: Kind): string {
  return kind.links.under ? `${kindNamed(kind.links.under.kind).name}-${kind.path}` : kind.path;
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
