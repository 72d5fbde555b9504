import { ofReachable } from '../nodes/reachable.js';
import type { Queryable } from '../queries/statement.js';

/** Logs whose newest checkpoint lacks a cosignature (`BackgroundWorker.due`). */
export const DUE_WITNESSING = `select g.ledger_id, '', null::timestamptz from log g
  where g.unwitnessed is not null and g.stopped is null and ${ofReachable('g.ledger_id')}`;

/** What a witness is known to have cosigned last of a log. */
export interface WitnessRow {
  /** Its verifier key. */
  readonly witness: string;
  readonly size: number;
  /** The line of its cosignature. */
  readonly cosignature: string;
}

/** A tree of a log: its origin is another one in each generation. */
export interface WitnessedTree {
  readonly ledger: number;
  readonly origin: string;
  readonly size: number;
}

/** What witnesses have cosigned of a log. */
export async function readWitnesses(on: Queryable, ledger: number): Promise<WitnessRow[]> {
  const { rows } = await on.query<WitnessRow>({
    name: 'log-witnesses',
    text: 'select witness, size, cosignature from log_witness where ledger_id = $1',
    values: [ledger],
  });
  return rows;
}

/** Keeps a cosignature, unless the log has another tree by now or the witness has cosigned a larger one. */
export async function keepCosignature(
  on: Queryable,
  { ledger, origin, size }: WitnessedTree,
  { witness, cosignature }: Pick<WitnessRow, 'witness' | 'cosignature'>,
): Promise<void> {
  await on.query({
    name: 'log-keep-cosignature',
    text: `insert into log_witness (ledger_id, witness, size, cosignature)
      select ledger_id, $3, $4::bigint, $5 from log where ledger_id = $1 and origin = $2
      on conflict (ledger_id, witness) do update set size = excluded.size, cosignature = excluded.cosignature
        where log_witness.size <= excluded.size`,
    values: [ledger, origin, witness, size, cosignature],
  });
}

/** Keeps a checkpoint whose cosignatures meet the policy, unless one of a larger tree is there. */
export async function keepCosigned(
  on: Queryable,
  { ledger, origin, size }: WitnessedTree,
  note: string,
): Promise<void> {
  await on.query({
    name: 'log-keep-cosigned',
    text: `update log set cosigned = $4 where ledger_id = $1 and origin = $2
      and (cosigned is null or split_part(cosigned, E'\\n', 2)::bigint <= $3::bigint)`,
    values: [ledger, origin, size, note],
  });
}

/** All witnesses have cosigned the tree: the log no longer waits. If it has grown since, its wait begins now. */
export async function endWitnessing(on: Queryable, { ledger, origin, size }: WitnessedTree): Promise<void> {
  // Two statements: an update of one table with `case … then statement_timestamp()` is refused by Citus, and so is `clock_timestamp()` in any update.
  const values = [ledger, origin, size];
  const { rows } = await on.query({
    name: 'log-witnessed',
    text: `update log set unwitnessed = null where ledger_id = $1 and origin = $2 and size = $3::bigint returning size`,
    values,
  });
  if (rows.length > 0) return;
  await on.query({
    name: 'log-witnessed-before',
    text: `update log set unwitnessed = statement_timestamp() where ledger_id = $1 and origin = $2 and size <> $3::bigint`,
    values,
  });
}
