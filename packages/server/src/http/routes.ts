import type { Kind, Operation } from '../kinds/kind.js';
import { kinds } from '../kinds/registry.js';
import type { Session } from '../ledgers/session.js';
import { listChanges, readChange } from '../operations/changes.js';
import { check } from '../operations/check.js';
import { create } from '../operations/create.js';
import { drop } from '../operations/drop.js';
import { list } from '../operations/list.js';
import { prove } from '../operations/prove.js';
import { read } from '../operations/read.js';
import type { Stages } from '../operations/stage.js';
import { update } from '../operations/update.js';
import type { Answer, Command } from '../records/command.js';

/** An operation of one kind in the ledger of the request. */
export type Perform = (session: Session, kind: Kind, command: Command, stages: Stages) => Promise<Answer>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base path, in fastify's form. `:id` is the record, `:parent` the one it lies under. */
  readonly path: string;
  readonly kind: Kind;
  readonly operation: Operation | 'change';
  readonly perform: Perform;
}

/** The operations on one record: what follows its path, and what is done. */
const ON_RECORD: readonly (Pick<Route, 'method' | 'operation' | 'perform'> & { readonly suffix: string })[] = [
  { operation: 'read', method: 'GET', suffix: '', perform: read },
  { operation: 'update', method: 'PUT', suffix: '', perform: update },
  { operation: 'drop', method: 'DELETE', suffix: '', perform: drop },
  { operation: 'drop', method: 'POST', suffix: '/drop', perform: drop },
  { operation: 'proof', method: 'POST', suffix: '/proofs', perform: prove },
  { operation: 'check', method: 'POST', suffix: '/access/!check', perform: check },
  { operation: 'changes', method: 'GET', suffix: '/changes', perform: listChanges },
  { operation: 'change', method: 'GET', suffix: '/changes/:change', perform: readChange },
];

const ON_COLLECTION: typeof ON_RECORD = [
  { operation: 'create', method: 'POST', suffix: '', perform: create },
  { operation: 'list', method: 'GET', suffix: '', perform: list },
];

/** Every route of every kind, from the registry (contract 06 §2). The collection of ledgers is not among them. */
export function recordRoutes(): Route[] {
  return kinds.flatMap((kind) => {
    const collection = collectionPath(kind);
    const record = kind.only?.path ?? `${collection}/:id`;
    const onCollection = kind.only ? [] : ON_COLLECTION;
    return [
      ...onCollection.map(({ suffix, ...route }) => ({ ...route, kind, path: `${collection}${suffix}` })),
      ...ON_RECORD.flatMap(({ suffix, ...route }) =>
        [suffix, ...(route.operation === 'proof' ? (kind.lifecycle.proofAliases ?? []) : [])].map((end) => ({
          ...route,
          kind,
          path: `${record}${end}`,
        })),
      ),
      ...(kind.only ? ON_OLDER_PATH.map((route) => ({ ...route, kind, path: kind.only?.older ?? '' })) : []),
    ].filter(({ operation }) => kind.lifecycle.operations.includes(operation === 'change' ? 'changes' : operation));
  });
}

/** What clients of the SDK 2.2 do on the path they know (contract 01 §14). */
const ON_OLDER_PATH: readonly Omit<Route, 'kind' | 'path'>[] = [
  { operation: 'read', method: 'GET', perform: read },
  { operation: 'update', method: 'PUT', perform: update },
];

function collectionPath(kind: Kind): string {
  const above = kinds.find((one) => one.name === kind.links.under?.kind);
  return above ? `/${above.path}/:parent/${kind.path}` : `/${kind.path}`;
}
