import type { KindName } from '../../kinds/kind.js';
import { scope } from '../queries/scope.js';
import type { Queryable } from '../queries/statement.js';

/** A label that one record of its kind may have at a time. */
export interface UniqueLabel {
  readonly label: string;
  /** The domains in which that holds; in all of the ledger unless given. */
  readonly domains?: readonly string[];
}

interface Query {
  readonly ledger: number;
  readonly kind: KindName;
  /** The record that is to have the labels: it is not another. */
  readonly luid: string;
  readonly key: string;
  readonly labels: readonly UniqueLabel[];
}

/** The first of the labels that another record of the kind has; nothing when all are free. */
export type Labeled = (query: Query) => Promise<string | undefined>;

/** A record that is to be made has another luid each time it is asked for, and the key of the one that was made. */
const FIND_TAKEN = `select from record
  where ledger_id = $1 and kind = $2 and luid <> $3 and handle <> $4 and document @> $5::jsonb
    and ($6::text[] is null or domain = any($6)) limit 1`;

export function createLabeled(on: Queryable): Labeled {
  return async ({ ledger, kind, luid, key, labels }) => {
    for (const { label, domains } of labels) {
      const document = JSON.stringify({ [scope(ledger, kind)]: { 'meta.labels': [label] } });
      const values = [ledger, kind, luid, key, document, domains ?? null];
      const { rows } = await on.query({ name: 'labeled', text: FIND_TAKEN, values });
      if (rows.length > 0) return label;
    }
    return undefined;
  };
}
