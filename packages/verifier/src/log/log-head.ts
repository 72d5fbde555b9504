import type { HeaderLine, LogHead } from '../lines.js';

const HEAD_MEMBERS = ['origin', 'generation', 'size', 'checkpoint', 'cosigned', 'behind', 'stopped'];

/** What is wrong with what a header says of its log: nothing is kept in memory for one that cannot be. */
export function headDefect(head: LogHead, { changes }: Pick<HeaderLine, 'changes'>): string | undefined {
  const { origin, generation, size, checkpoint, cosigned, behind, stopped } = head as unknown as Record<
    string,
    unknown
  >;
  const extra = Object.keys(head).find((member) => !HEAD_MEMBERS.includes(member));
  if (extra !== undefined) return `has an unknown member '${extra.slice(0, 40)}'`;
  const texts = [origin, checkpoint, cosigned ?? '', stopped ?? ''];
  if (!texts.every((one) => typeof one === 'string') || (behind ?? true) !== true) return 'lacks a text';
  if (!Number.isSafeInteger(generation) || (generation as number) < 1) return 'has no generation';
  if (generationOf(origin as string) !== generation) return 'has the origin of another generation';
  if (!Number.isSafeInteger(size) || (size as number) < 0) return 'has no size';
  // One leaf is no change: the first of a later generation.
  return (size as number) > changes + 1 ? `has ${size} leaves of ${changes} changes` : undefined;
}

/** The generation that the name of a tree says: that of a later one ends with its number. */
export function generationOf(origin: string): number {
  const number = /\/([1-9]\d*)$/.exec(origin)?.[1];
  return number === undefined ? 1 : Number(number);
}

/** The name without the generation. */
export function logOf(origin: string): string {
  return generationOf(origin) === 1 ? origin : origin.slice(0, origin.lastIndexOf('/'));
}
