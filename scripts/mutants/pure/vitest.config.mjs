import { defineConfig } from 'vitest/config';
import { COMPILED } from '../../testing/compiled.mjs';
import { partOfRun } from './parts.mjs';

/** How StrykerJS runs the tests of a part: on its sources, as the changes are made there, and not on what is compiled. */
export default defineConfig({
  test: {
    include: partOfRun().tests,
    // Other packages are as they are compiled.
    server: { deps: { external: [COMPILED] } },
    setupFiles: ['packages/server/test/support/seed.ts'],
    // StrykerJS ends what hangs, by a bound of its own.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
