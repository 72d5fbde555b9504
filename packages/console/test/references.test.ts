import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keptReferences, LOOKS, pageNames, REFERENCES, referenceFile } from './support/references.js';

describe('screenshots of the console', () => {
  it('are kept of every page in light, dark and narrow, and of nothing else', () => {
    const wanted = pageNames().flatMap((page) => Object.keys(LOOKS).map((look) => referenceFile(page, look)));
    expect([...keptReferences()].sort()).toEqual(wanted.sort());
  });

  it('are small', () => {
    const sizes = keptReferences().map((name) => statSync(`${REFERENCES}/${name}`).size);
    expect(Math.max(...sizes)).toBeLessThan(40_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * 1024 * 1024);
  });
});
