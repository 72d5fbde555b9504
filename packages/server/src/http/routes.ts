import type { Kind, Only } from '../kinds/kind.js';
import { kinds } from '../kinds/registry.js';
import type { Operation, OperationRoute } from '../operations/operation.js';
import { OPERATIONS } from '../operations/operations.js';

/** An operation of one kind in the ledger of the request, and where clients find it. */
export interface Route {
  readonly method: OperationRoute['method'];
  /** Below the base path, in fastify's form. `:id` is the record, `:parent` the one it lies under. */
  readonly path: string;
  readonly kind: Kind;
  readonly operation: Operation;
  readonly of: OperationRoute['of'];
  /** What distinguishes the name of an alias from that of the route to use. */
  readonly alias?: string;
}

/**
 * Every route of every kind, from the registries (interface/README#operations). The collection of ledgers is routed
 * apart.
 */
export function recordRoutes(): Route[] {
  return kinds.flatMap((kind) => {
    const records = collectionPath(kind);
    const record = kind.only?.path ?? `${records}/:id`;
    const bases = { records, record, address: record, ledger: '' };
    const operations = OPERATIONS.filter((operation) => operation.isOf(kind));
    return [
      ...operations.flatMap((operation) =>
        operation.routes(kind).map(({ method, of, path = '', alias }) => ({
          ...{ method, path: bases[of] + path, kind, operation, of },
          alias,
        })),
      ),
      ...(kind.only ? olderRoutes(kind, kind.only, operations) : []),
    ];
  });
}

/** Where clients of the SDK 2.2 read and update the one record of a kind (interface/ledgers#the-record-of-a-ledger). */
function olderRoutes(kind: Kind, { older }: Only, operations: readonly Operation[]): Route[] {
  const named = operations.filter(({ name }) => name === 'read' || name === 'update');
  return named.flatMap((operation) =>
    operation.routes(kind).map(({ method, of }) => ({ method, path: older, kind, operation, of, alias: 'ByHandle' })),
  );
}

function collectionPath(kind: Kind): string {
  const above = kinds.find((one) => one.name === kind.links.under?.kind);
  return above ? `/${above.path}/:parent/${kind.path}` : `/${kind.path}`;
}
