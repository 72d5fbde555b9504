import { LOG_BOUNDS } from './bounds.js';
import { LogError } from './fault.js';
import { whole } from './text.js';
import { TILE_WIDTH, type Tile } from './tiles.js';

/** The greatest level that has a path (C2SP tlog-tiles): of trees of 2^48 leaves. */
const TOP_LEVEL = 5;
/** The path of an index and a width: `x001/x234/067.p/8`. An index of 2^53 has six groups. */
const INDEX_PATH = /^((?:x\d{3}\/){0,5}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const LEVEL_PATH = /^([0-5])\/(.+)$/;

/** Part of an entry bundle, or all of it: its entries from `256 * index` on (C2SP tlog-tiles). */
export type EntryTile = Omit<Tile, 'level'>;

/**
 * What stands behind `tile/` in the path of a tile: `0/x001/x234/067` or, of one that is not full, `0/067.p/8`.
 *
 * @throws RangeError unless the level is at most 5, the index whole, and the width from 1 to 256
 */
export function formatTilePath({ level, index, width }: Tile): string {
  if (whole(level, 'level') > TOP_LEVEL) throw new RangeError(`level ${level} has no path`);
  return `${level}/${indexPath(index, width)}`;
}

/**
 * The tile that the path behind `tile/` names; every tile has one path only.
 *
 * @throws LogError `malformed` or `too-long`
 */
export function parseTilePath(path: string): Tile {
  const [, level, rest] = LEVEL_PATH.exec(assertPathLength(path)) ?? [];
  if (level === undefined) throw pathError();
  return { level: Number(level), ...parseIndexPath(rest!) };
}

/**
 * What stands behind `tile/` in the path of an entry bundle: `entries/x001/x234/067`, or `entries/067.p/8`.
 *
 * @throws RangeError unless the index is whole and the width from 1 to 256
 */
export function formatEntriesPath({ index, width }: EntryTile): string {
  return `entries/${indexPath(index, width)}`;
}

/**
 * The entry bundle that the path behind `tile/` names.
 *
 * @throws LogError `malformed` or `too-long`
 */
export function parseEntriesPath(path: string): EntryTile {
  const prefix = 'entries/';
  if (!assertPathLength(path).startsWith(prefix)) throw pathError();
  return parseIndexPath(path.slice(prefix.length));
}

function indexPath(index: number, width: number): string {
  if (whole(width, 'width', 1) > TILE_WIDTH) throw new RangeError(`a tile does not have ${width} hashes`);
  let rest = whole(index, 'index');
  let path = threeDigits(rest);
  while (rest >= 1000) {
    rest = Math.floor(rest / 1000);
    path = `x${threeDigits(rest)}/${path}`;
  }
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

function threeDigits(value: number): string {
  return String(value % 1000).padStart(3, '0');
}

function parseIndexPath(path: string): EntryTile {
  const [, groups, width] = INDEX_PATH.exec(path) ?? [];
  if (groups === undefined) throw pathError();
  const tile = {
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  // Leading groups of zeros, a width of 256 and an index beyond 2^53 all have another path, or none.
  if (!Number.isSafeInteger(tile.index) || tile.width > TILE_WIDTH || indexPath(tile.index, tile.width) !== path) {
    throw pathError();
  }
  return tile;
}

function assertPathLength(path: string): string {
  if (path.length > LOG_BOUNDS.path)
    throw new LogError('too-long', `a tile's path has more than ${LOG_BOUNDS.path} bytes`);
  return path;
}

function pathError(): LogError {
  return new LogError('malformed', 'this is not the path of a tile');
}
