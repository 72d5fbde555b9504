import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BaseBackup } from './base-backup.js';
import { fileExists } from './files.js';
import { parsePosition } from './wal.js';

/** The timelines that one came from, the oldest first, and where each was left: what its history file says. */
export function parseHistory(text: string): { timeline: number; end: number }[] {
  return [...text.matchAll(/^(\d+)\t([0-9A-F]+\/[0-9A-F]+)\t/gm)].map(([, timeline, end = '']) => ({
    timeline: Number(timeline),
    end: parsePosition(end),
  }));
}

/**
 * Whether the log kept in a folder leads from a base backup to a timeline: PostgreSQL refuses one that was left before the backup ended.
 *
 * @param to the newest unless given, as PostgreSQL looks for it
 */
export async function leadsTo(
  wal: string,
  { timeline, end }: Pick<BaseBackup, 'timeline' | 'end'>,
  to: number | undefined,
): Promise<boolean> {
  const historyOf = (one: number) => join(wal, `${one.toString(16).toUpperCase().padStart(8, '0')}.history`);
  let followed = to ?? timeline;
  while (to === undefined && (await fileExists(historyOf(followed + 1)))) followed += 1;
  if (followed === timeline) return true;
  const history = parseHistory(await readFile(historyOf(followed), 'utf8').catch(() => ''));
  return history.some((left) => left.timeline === timeline && left.end >= parsePosition(end));
}
