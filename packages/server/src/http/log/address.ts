import { isLuid } from '@countersign/protocol';
import { type EntryTile, LogError, parseEntriesPath, parseTilePath, type Tile } from '@countersign/protocol/log';

/** What of a log is asked for. */
export type AskedOfLog =
  | { readonly what: 'checkpoint' | 'vkeys' }
  | { readonly what: 'tile'; readonly tile: Tile }
  | { readonly what: 'entries'; readonly tile: EntryTile };

/** The parts of a path below `/log/`. */
export interface LogAddress {
  /** Luid of the ledger. */
  readonly ledger: string;
  readonly generation: number;
  readonly asked: AskedOfLog;
}

const PATH = /^\/log\/(ldg\.[^/]+)\/(?:([1-9]\d{0,8})\/)?(.+)$/;

/**
 * Reads the path of a request for a log. Each thing has one path, in which nothing is percent-encoded.
 *
 * @param url as it was sent
 * @returns undefined for any other path
 */
export function parseLogAddress(url: string): LogAddress | undefined {
  // A proxy may send the whole URL where the path belongs (RFC 9112 §3.2.2).
  const path = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').replace(/\?.*$/s, '');
  const [, id = '', generation, rest = ''] = PATH.exec(path) ?? [];
  const ledger = `$${id}`;
  // The first generation has no number.
  if (!isLuid(ledger, 'ldg') || generation === '1') return undefined;
  const asked = parseAsked(rest);
  return asked && { ledger, generation: Number(generation ?? 1), asked };
}

function parseAsked(rest: string): AskedOfLog | undefined {
  if (rest === 'checkpoint' || rest === 'vkeys') return { what: rest };
  if (!rest.startsWith(TILE)) return undefined;
  const path = rest.slice(TILE.length);
  try {
    return path.startsWith('entries/')
      ? { what: 'entries', tile: parseEntriesPath(path) }
      : { what: 'tile', tile: parseTilePath(path) };
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}

const TILE = 'tile/';
