import { randomBytes } from 'node:crypto';
import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { native } from '../../src/auth/native-suite.js';
import type { IntentState } from '../../src/money/intent.js';
import { usesOf } from '../../src/money/open-state.js';
import type { TestClient } from '../support/client.js';
import { proofOver, systemKeyOf } from '../support/client.js';
import type { RunningServer } from '../support/server.js';

/** A balance as it is put into the books. */
export interface Balance {
  readonly available: number;
  /** Absent until the first debit. */
  readonly reserved?: number;
  readonly changed?: boolean;
  readonly moment?: string;
}

/** The books of one ledger, written by SQL: intents are not settled yet. */
export class Books {
  private constructor(
    readonly ledger: number,
    readonly connection: pg.Client,
    readonly client: TestClient,
  ) {}

  /** Opens them over a connection of their own, to be closed. */
  static async of({ database }: Pick<RunningServer, 'database'>, client: TestClient): Promise<Books> {
    const connection = new pg.Client({ connectionString: database.url });
    await connection.connect();
    const { rows } = await connection.query<{ id: number }>(
      "select l.id from ledger l join record r on r.ledger_id = l.id and r.kind = 'ledger' where r.handle = $1",
      [client.ledger],
    );
    return new Books(rows[0]!.id, connection, client);
  }

  close(): Promise<void> {
    return this.connection.end();
  }

  /** Sets a balance; gives the luids of its two rows. */
  async set({ luid }: RecordEnvelope, symbol: string, balance: Balance): Promise<readonly [string, string]> {
    const { available, reserved = null, changed = false, moment = '2030-01-01T00:00:00.807Z' } = balance;
    const luids = [newLuid(), newLuid()] as const;
    await this.connection.query(
      `insert into balance (ledger_id, wallet, symbol, version, available, reserved, available_luid, available_moment,
         available_changed, reserved_luid, reserved_moment, reserved_changed)
       values ($1, $2, $3, 1, $4, $5::bigint, $6, $7::timestamptz, $8, $9,
         case when $5::bigint is not null then $7::timestamptz end, case when $5::bigint is not null then $8::boolean end)
       on conflict (ledger_id, wallet, symbol) do update
         set available = excluded.available, reserved = excluded.reserved, version = balance.version + 1`,
      [this.ledger, luid, symbol, available, reserved, luids[0], moment, changed, reserved === null ? null : luids[1]],
    );
    return luids;
  }

  /** Sets a limit of a symbol that is there; gives its text. */
  async limit({ luid, data: wallet }: RecordEnvelope, symbol: string, metric: string, amount: number): Promise<string> {
    const data: JsonObject = { wallet: wallet.handle as string, symbol, metric, amount };
    const hash = hashOf(data, native);
    const moment = '2030-01-01T00:00:00.807Z';
    const proofs = [{ ...proofOver(hash, this.client.key, { moment }), public: systemKeyOf(this.client) }];
    const own = newLuid();
    const body = JSON.stringify({ hash, data, luid: own, meta: { proofs, moment } });
    await this.connection.query(
      `insert into wallet_limit (ledger_id, wallet, symbol, symbol_luid, metric, luid, version, amount, body)
       values ($1, $2, $3, (select luid from record where ledger_id = $1 and kind = 'symbol' and handle = $3), $4, $7, 1, $5, $6)`,
      [this.ledger, luid, symbol, metric, amount, body, own],
    );
    return body;
  }

  /** Stores an intent that is under way; gives its luid, to end it by. */
  async underWay(state: IntentState): Promise<string> {
    const luid = `$int.-${randomBytes(8).toString('hex')}`;
    await this.connection.query(
      "insert into open_intent (ledger_id, luid, thread, version, stage, uses, state, mac) values ($1, $2, 't', 1, $3, $4, $5, '')",
      [this.ledger, luid, state.stage, usesOf(this.ledger, state), JSON.stringify({ state, seen: 0 })],
    );
    return luid;
  }

  async ended(luid: string): Promise<void> {
    await this.connection.query('delete from open_intent where ledger_id = $1 and luid = $2', [this.ledger, luid]);
  }
}

function newLuid(): string {
  return `$wbl.-${randomBytes(8).toString('hex')}`;
}

/**
 * The state of an intent that waits for bridges.
 *
 * @param plan wallets with the symbols that it credits or limits there, and the bridges that it calls
 */
export function planOf(plan: {
  readonly entries?: readonly (readonly [RecordEnvelope, string])[];
  readonly limits?: readonly (readonly [RecordEnvelope, string])[];
  readonly parts?: readonly string[];
}): IntentState {
  const { entries = [], limits = [], parts = [] } = plan;
  const named = ({ luid, data }: RecordEnvelope) => ({ wallet: String(data.handle), luid });
  return {
    stage: 'credits',
    plan: {
      intent: 'i',
      entries: entries.map(([wallet, symbol], claim) => ({
        ...{ handle: `cre_${claim}`, side: 'credit', claim, symbol, amount: 1, bridge: 'b' },
        ...named(wallet),
      })),
      limits: limits.map(([wallet, symbol], claim) => ({
        ...{ claim, symbol, metric: 'minBalance', amount: 0 },
        ...named(wallet),
      })),
      parts: parts.map((bridge, index) => ({ handle: `cre_${index}`, side: 'credit', bridge, entries: [index] })),
      isForward: false,
      isManual: false,
    },
    parts: parts.map(() => 'asked'),
    givenUp: [],
    isRouted: false,
  };
}
