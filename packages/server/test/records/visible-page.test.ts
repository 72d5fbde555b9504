import { describe, expect, it } from 'vitest';
import { listLimits } from '../../src/lists/list-limits.js';
import { visiblePage } from '../../src/lists/visible-page.js';
import type { ListPosition } from '../../src/store/queries/list.js';
import type { Version } from '../../src/store/queries/version.js';

/** A list of so many records, numbered in its order; counts how many were asked for. */
function listOf(length: number) {
  const asked = { records: 0 };
  const next = async (count: number, after: ListPosition | undefined) => {
    const from = after === undefined ? 0 : after.seq + 1;
    const found = Array.from({ length: Math.max(0, Math.min(count, length - from)) }, (_, index) => from + index);
    asked.records += found.length;
    return found.map((seq) => ({ place: { moment: '', seq }, luid: '', change: 1, body: String(seq) }));
  };
  return { asked, next };
}

const only =
  (isVisible: (seq: number) => boolean) =>
  async ({ body }: Version) =>
    isVisible(Number(body)) ? Number(body) : undefined;

const REFUSED = expect.objectContaining({
  reason: 'api.query-malformed',
  detail: `The page cannot be found among ${listLimits.scan} records of the list. Add filters, or ask for an earlier page.`,
});

describe('a page of what the caller may see', () => {
  it('is full as long as there are enough, whatever is between them', async () => {
    const { next } = listOf(1_000);
    const thirds = only((seq) => seq % 3 === 0);
    expect(await visiblePage({ index: 0, limit: 3 }, next, thirds)).toEqual([0, 3, 6]);
    expect(await visiblePage({ index: 100, limit: 3 }, next, thirds)).toEqual([900, 903, 906]);
    expect(await visiblePage({ index: 111, limit: 3 }, next, thirds)).toEqual([999]);
    expect(await visiblePage({ index: 112, limit: 3 }, next, thirds)).toEqual([]);
  });

  it(`may be the last of ${listLimits.scan} records, and is not looked for beyond`, async () => {
    const last = only((seq) => seq === listLimits.scan - 1);
    const { asked, next } = listOf(listLimits.scan + 1_000);
    expect(await visiblePage({ index: 0, limit: 1 }, next, last)).toEqual([listLimits.scan - 1]);
    const beyond = only((seq) => seq === listLimits.scan);
    asked.records = 0;
    await expect(visiblePage({ index: 0, limit: 1 }, next, beyond)).rejects.toEqual(REFUSED);
    expect(asked.records).toBe(listLimits.scan);
  });

  it('is refused rather than ended early, since a short page is the end of the list', async () => {
    const first = only((seq) => seq === 0);
    await expect(visiblePage({ index: 0, limit: 2 }, listOf(listLimits.scan + 1).next, first)).rejects.toEqual(REFUSED);
    expect(await visiblePage({ index: 0, limit: 2 }, listOf(listLimits.scan - 1).next, first)).toEqual([0]);
  });

  it('is refused when it is too far back to be reached', async () => {
    const all = only(() => true);
    const { asked, next } = listOf(listLimits.scan * 2);
    await expect(visiblePage({ index: listLimits.scan, limit: 1 }, next, all)).rejects.toEqual(REFUSED);
    expect(asked.records).toBe(listLimits.scan);
  });

  it('is given up when nobody waits for it any more', async () => {
    const { next } = listOf(listLimits.scan);
    let pages = 0;
    const slow: typeof next = (count, after) => {
      pages += 1;
      return next(count, after);
    };
    const none = only(() => false);
    const late = visiblePage({ index: 0, limit: 1 }, slow, none, () => pages === 3);
    await expect(late).rejects.toMatchObject({ reason: 'api.request-timeout' });
    expect(pages).toBe(3);
  });
});
