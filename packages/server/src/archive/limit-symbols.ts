import { type RecordEnvelope, readJson } from '@countersign/protocol';
import type { ChangeLine, LimitLine } from '@countersign/verifier';

/** The symbols that limits belong to: a line names its symbol by handle, a row by luid. */
export class LimitSymbols {
  readonly #luids = new Map<string, string>();

  /** Takes a record that is there, as its newest version has it. */
  add({ kind, luid, text }: ChangeLine): void {
    if (kind === 'symbol') this.#luids.set(String((readJson(text) as RecordEnvelope).data.handle), luid);
  }

  /** The row of a limit; undefined where its symbol was dropped, as earlier releases kept it. All symbols must have been added. */
  rowOf({ text: body, ...others }: LimitLine): object | undefined {
    const symbolLuid = this.#luids.get(others.symbol);
    if (symbolLuid === undefined) return undefined;
    const { luid } = readJson(body) as { luid: string };
    return { ...others, symbol_luid: symbolLuid, luid, body };
  }
}
