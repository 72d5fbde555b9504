import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/access/caller.js';
import { decideAccess } from '../../src/access/decide.js';
import { context, type Parts } from './scene.js';

/** What is asked, by whom, on what, and whether it is granted. The name says which sentence it stands for. */
export type Row = [name: string, action: string, record: string, caller: Caller, parts: Parts, granted: boolean];

/** A test of each row, under the title of the part of the interface they are of. */
export function decides(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    it.each(rows)('%s', (_name, action, record, caller, parts, granted) => {
      expect(decideAccess(action, record, caller, context(parts)).granted).toBe(granted);
    });
  });
}
