import { readJson } from '@countersign/protocol';
import type { FastifyBaseLogger } from 'fastify';
import { type WriteGuard, WritesRefused } from '../writes-refused.js';

/** An operator has made the server read-only (docs/operations/read-only.md). */
export interface ReadOnlyMode {
  /** In the operator's words: whoever is refused is told. */
  readonly reason: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The row of the table `deployment` that holds it. */
export const READ_ONLY_ROW = 'read-only';

/** The refusal of a write while the server is read-only. */
export class ServerReadOnly extends WritesRefused {
  constructor({ reason }: ReadOnlyMode) {
    super(`The operator has made the server read-only: ${reason}`);
  }
}

/** The mode of the server, as this process has last seen it. */
export class ReadOnlyGuard implements WriteGuard {
  mode: ReadOnlyMode | undefined;
  refusal: ServerReadOnly | undefined;
  #seen: string | null = null;

  /** @param logger told once when it begins, and once when it ends */
  constructor(private readonly logger: Pick<FastifyBaseLogger, 'warn' | 'info'>) {}

  /** Takes what was seen: the text of the row, or null. */
  see(text: string | null): void {
    if (text === this.#seen) return;
    this.#seen = text;
    this.mode = parseReadOnly(text);
    this.refusal = this.mode && new ServerReadOnly(this.mode);
    if (this.mode)
      this.logger.warn({ reason: this.mode.reason }, 'the server is read-only: writes are refused, reads go on');
    else this.logger.info('the server is no longer read-only: writes are taken');
  }
}

/** Reads what the row holds. */
export function parseReadOnly(text: string | null): ReadOnlyMode | undefined {
  return text === null ? undefined : (readJson(text) as unknown as ReadOnlyMode);
}
