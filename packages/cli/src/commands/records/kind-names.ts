import { DESCRIPTION, type KindDescription } from '@countersign/client/description';

/** The kind of a name in the singular or plural: `wallet`, `wallets`. */
export function findKind(name: string): KindDescription | undefined {
  return DESCRIPTION.find(({ record, path }) => record === name || path === `/${name}`);
}

/**
 * The path of a record that a person names, in the singular or plural: `wallet/shop` is `wallets/shop`, and
 * `signer-factor/ada/phone` is `signers/ada/factors/phone`.
 *
 * @returns undefined where no kind has the name
 */
export function pathNamed(named: string): string | undefined {
  const [name = '', id, below, ...rest] = named.replace(/^\//, '').split('/');
  const kind = findKind(name);
  if (kind === undefined || id === undefined) return undefined;
  if (kind.parent !== undefined) {
    return below === undefined ? undefined : [...collectionNames(kind, id), below, ...rest].join('/');
  }
  if (below === undefined) return `${kind.path.slice(1)}/${id}`;
  const child = DESCRIPTION.find(({ path, parent }) => {
    const [list, , under] = path.slice(1).split('/');
    return parent !== undefined && `/${list}` === kind.path && (under === below || under === `${below}s`);
  });
  return child === undefined ? undefined : [...collectionNames(child, id), ...rest].join('/');
}

/** `signers/ada/factors` */
function collectionNames({ path }: KindDescription, parent: string): string[] {
  return path
    .slice(1)
    .split('/')
    .map((step) => (step.startsWith('{') ? parent : step));
}
