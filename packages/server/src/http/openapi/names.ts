import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Route } from '../routes.js';

const VERBS: Readonly<Record<Route['operation'], (one: string, several: string) => string>> = {
  create: (one) => `create${one}`,
  list: (_, several) => `list${several}`,
  read: (one) => `read${one}`,
  update: (one) => `update${one}`,
  drop: (one) => `drop${one}`,
  proof: (one) => `add${one}Proof`,
  changes: (one) => `list${one}Changes`,
  change: (one) => `read${one}Change`,
  check: (one) => `check${one}Access`,
};

const SUMMARIES: Readonly<Record<Route['operation'], (one: string, several: string) => string>> = {
  create: (one) => `Create ${one}`,
  list: (_, several) => `List ${several}, newest change first`,
  read: (one) => `Read ${one}`,
  update: (one) => `Replace the data of ${one}`,
  drop: (one) => `Drop ${one}; its history stays readable by luid`,
  proof: (one) => `Add a proof to ${one}, which may change its status and labels`,
  changes: (one) => `List every version of ${one}, newest first`,
  change: (one) => `Read one version of ${one}`,
  check: (one) => `List the rules of ${one} that grant the signers an action`,
};

/** `createWallet`, `listWalletChanges`: unique, also where an operation is served under several paths. */
export function operationId({ kind, operation, path }: Pick<Route, 'kind' | 'operation' | 'path'>): string {
  const id = VERBS[operation](pascal(kind.name), pascal(severalOf(kind)));
  if (operation === 'drop' && path.endsWith('/drop')) return `${id}ByPost`;
  if (operation === 'proof' && !path.endsWith('/proofs'))
    return `${id}By${pascal(path.slice(path.lastIndexOf('/') + 1))}`;
  return path.includes('/:ledger') ? `${id}ByHandle` : id;
}

/** The operation in a line. */
export function summary(kind: Kind, operation: Route['operation']): string {
  const title = kind.title.toLowerCase();
  const one = `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;
  return SUMMARIES[operation](one, severalOf(kind).replace('-', ' '));
}

/** `signer-factors`: the path of a nested kind alone may be another's too. */
function severalOf(kind: Kind): string {
  return kind.links.under ? `${kindNamed(kind.links.under.kind).name}-${kind.path}` : kind.path;
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
