import { defineConfig } from 'vitest/config';
import { COMPILED, compiled } from './scripts/testing/compiled.mjs';
import { tierOf } from './scripts/testing/tiers.mjs';

/** Milliseconds after which a test hangs. On a cluster each statement is planned by one server and run by others, on the same processors. */
const HANGS = process.env.CITUS_TEST_URL ? 300_000 : 120_000;

export default defineConfig({
  plugins: [compiled()],
  test: {
    ...tierOf(process.env.TEST_TIER),
    server: { deps: { external: [COMPILED] } },
    globalSetup: ['packages/server/test/support/memory.ts', 'packages/server/test/support/database.ts'],
    setupFiles: ['packages/server/test/support/seed.ts', 'packages/server/test/support/idle.ts'],
    // Servers that run at the same time on one machine: a test of metrics names a port of its own.
    env: { METRICS_PORT: 'off' },
    // For what hangs. How fast the machine is decides no test.
    testTimeout: process.env.LONG_TESTS ? 3_600_000 : HANGS,
    hookTimeout: HANGS,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: Number(process.env.TEST_WORKERS || 4),
    // As the service runs: most of what a request makes is garbage at its end.
    execArgv: ['--max-semi-space-size=32'],
    // The server's modules are loaded once per worker, not once per file: a third of the run otherwise.
    isolate: false,
    reporters: ['default', './scripts/testing/closing-line.mjs'],
  },
});
