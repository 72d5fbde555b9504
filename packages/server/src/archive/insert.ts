import type pg from 'pg';
import { isOfPresentSymbol } from '../store/money/limits-in-force.js';
import { drawNumbers } from './orders.js';

/** Columns of a table, with their types: what an import stores in it. */
const TABLES = {
  change:
    'luid text, change int, kind text, action text, moment timestamptz, hash text, body text, mac text, cut int, beside int',
  record:
    'kind text, handle text, luid text, change int, seq bigint, hash text, status text, moment timestamptz, domain text, ' +
    'link text, link_since bigint, link_proven boolean, document jsonb, judged text',
  used_proof: 'digest uuid, luid text',
  erased_proof: 'digest uuid, luid text',
  erased_leaf: 'luid text, change int, leaf text',
  taken_key: 'public text, times bigint',
  secret: 'luid text, name text, sealed bytea',
  balance:
    'wallet text, symbol text, version bigint, available bigint, available_luid text, available_moment timestamptz, ' +
    'available_changed boolean, reserved bigint, reserved_luid text, reserved_moment timestamptz, reserved_changed boolean',
  entry:
    'wallet text, symbol text, version bigint, intent text, change int, available_by bigint, reserved_by bigint, ' +
    'available bigint, reserved bigint, moment timestamptz',
  wallet_limit:
    'wallet text, symbol text, symbol_luid text, metric text, luid text, version bigint, amount bigint, day date, used bigint, body text',
  open_intent:
    'luid text, thread text, version int, due timestamptz, deadline timestamptz, stage text, uses text[], state text, mac text',
  delivery:
    'seq bigint, handle text, effect text, effect_handle text, effect_change int, effect_domain text, bridge text, target text, ' +
    'record text, linked text, event text, mac text, moment timestamptz, status text, attempts int, tries int, ' +
    'signed timestamptz, attempted timestamptz, due timestamptz, proofs text, purpose text, entry text, given_up text, ' +
    'given_up_mac text',
  delivery_retry:
    'owner text, id text, slot int, requested timestamptz, since timestamptz, domains text[], reached bigint, ' +
    'until bigint, worked timestamptz',
  schedule: 'policy text, version bigint, hash text, through timestamptz, next_at timestamptz',
} as const;

export type Table = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as readonly Table[];

/**
 * What rows are completed from. A line of a limit names its symbol by handle; where that is gone, as earlier releases kept limits,
 * the limit has ended. Records and their history are stored before.
 */
const COMPLETED_FROM: Partial<Record<Table, string>> = {
  wallet_limit: `join record s on s.ledger_id = $1 and s.kind = 'symbol' and s.handle = r.symbol and ${isOfPresentSymbol('r.body', 's')}`,
};

/** What happens to a row that is there already. */
const CONFLICTS: Partial<Record<Table, string>> = {
  // Early releases let a proof count for several records: it counts for the first.
  used_proof: 'on conflict do nothing',
  taken_key: 'on conflict (ledger_id, public) do update set times = taken_key.times + excluded.times',
};

/**
 * Stores rows of a ledger. Texts go as JSON strings: they come out as they went in.
 *
 * @param rows by column; a column that is absent is null
 */
export async function insertRows(
  client: pg.ClientBase,
  ledger: number,
  table: Table,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = TABLES[table];
  const names = columns.split(', ').map((column) => column.split(' ')[0]!);
  // The order of records was drawn beforehand: they are stored by their luids.
  const isNumbered = table === 'record' || table === 'delivery';
  await client.query({
    text: `insert into ${table} (ledger_id, ${names.join(', ')}) ${isNumbered ? 'overriding system value' : ''}
      select $1, ${names.map((name) => columnOf(table, name)).join(', ')}
      from json_to_recordset($2::json) as r (${columns}) ${COMPLETED_FROM[table] ?? ''} ${CONFLICTS[table] ?? ''}`,
    values: [ledger, JSON.stringify(table === 'delivery' ? await numberRows(client, ledger, rows) : rows)],
  });
}

async function numberRows(client: pg.ClientBase, ledger: number, rows: readonly object[]): Promise<object[]> {
  const first = await drawNumbers(client, ledger, 'delivery_seq_seq', rows.length);
  return rows.map((row, at) => ({ ...row, seq: first + at }));
}

/** What is stored in a column. Some must not be null, and are absent from rows that have nothing to say. */
function columnOf(table: Table, name: string): string {
  if (name === 'proofs') return `coalesce(r.${name}, '')`;
  if (table === 'wallet_limit' && name === 'symbol_luid') return 's.luid';
  return table === 'record' && name === 'link_proven' ? `coalesce(r.${name}, false)` : `r.${name}`;
}
