import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/database.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // The server's modules are loaded once per worker, not once per file: a third of the run otherwise.
    isolate: false,
    reporters: ['default', './scripts/closing-line.mjs'],
  },
});
