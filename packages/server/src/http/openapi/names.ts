import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Route } from '../routes.js';

/** `createWallet`, `listWalletChanges`: unique, also where an operation is served under several paths. */
export function operationId({ kind, operation, alias = '' }: Pick<Route, 'kind' | 'operation' | 'alias'>): string {
  return operation.description.id(pascal(kind.name), pascal(severalOf(kind))) + alias;
}

/** The operation in a line. */
export function summary({ kind, operation }: Pick<Route, 'kind' | 'operation'>): string {
  const title = kind.title.toLowerCase();
  const one = `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  return operation.description.summary(one, severalOf(kind).replace('-', ' '));
}

/** `signer-factors`: the path of a nested kind alone may be another's too. */
function severalOf(kind: Kind): string {
  return kind.links.under ? `${kindNamed(kind.links.under.kind).name}-${kind.path}` : kind.path;
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
