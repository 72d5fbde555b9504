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
export interface ReadOnlyGuard extends WriteGuard {
  readonly mode: ReadOnlyMode | undefined;
  /** Takes what was seen: the text of the row, or null. */
  see(text: string | null): void;
}

/** @param logger told once when it begins, and once when it ends */
export function createReadOnlyGuard(logger: Pick<FastifyBaseLogger, 'warn' | 'info'>): ReadOnlyGuard {
  let seen: string | null = null;
  let mode: ReadOnlyMode | undefined;
  return {
    get mode() {
      return mode;
    },
    see(text) {
      if (text === seen) return;
      seen = text;
      mode = parseReadOnly(text);
      if (mode) logger.warn({ reason: mode.reason }, 'the server is read-only: writes are refused, reads go on');
      else logger.info('the server is no longer read-only: writes are taken');
    },
    assert() {
      if (mode) throw new ServerReadOnly(mode);
    },
  };
}

/** Reads what the row holds. */
export function parseReadOnly(text: string | null): ReadOnlyMode | undefined {
  return text === null ? undefined : (readJson(text) as unknown as ReadOnlyMode);
}
