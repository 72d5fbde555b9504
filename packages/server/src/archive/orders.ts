import type { Line } from '@countersign/verifier';
import type pg from 'pg';

/**
 * The order of records, as numbers of this database. Those of a file tell the order only: taken over as they are, they could
 * use up the sequence that all ledgers draw from.
 */
export class Orders {
  #values: number[] = [];
  #ranked: Float64Array | undefined;

  /** Takes the numbers of a line. */
  add(line: Line): void {
    if (line.line !== 'current') return;
    this.#values.push(line.order);
    if (line.keyOrder !== undefined) this.#values.push(line.keyOrder);
  }

  /** Different numbers. None is added after this. */
  get count(): number {
    return this.#ranks.length;
  }

  /** How many different numbers of the file are less. */
  rankOf(value: number): number {
    const ranks = this.#ranks;
    let [from, to] = [0, ranks.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (ranks[middle]! < value) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  get #ranks(): Float64Array {
    if (this.#ranked) return this.#ranked;
    const sorted = Float64Array.from(this.#values).sort();
    this.#values = [];
    this.#ranked = sorted.filter((value, at) => at === 0 || value !== sorted[at - 1]);
    return this.#ranked;
  }
}

/**
 * Draws as many numbers as rows of a ledger need.
 *
 * @param sequence of the table
 * @returns the first of them. Others that draw meanwhile take numbers of the same range, for other ledgers; whoever draws
 *   later gets greater ones
 */
export async function drawNumbers(
  client: pg.ClientBase,
  ledger: number,
  sequence: 'record_seq_seq' | 'delivery_seq_seq',
  count: number,
): Promise<number> {
  const { rows } = await client.query<{ first: number | null }>('select draw_numbers_1($1, $2, $3) as first', [
    ledger,
    sequence,
    count,
  ]);
  return rows[0]!.first ?? 0;
}
