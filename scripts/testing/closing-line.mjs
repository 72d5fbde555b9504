import { relative } from 'node:path';
import { root } from '../root.mjs';

/** Files named at the end of a run: where its time went. */
const SLOWEST = 10;

/** Closes a run of the tests with its slowest files, and one line that people and programs read: `N passed, N failed`. */
export default class ClosingLine {
  /** Vitest calls it when the run is over, after the reporters before this one. */
  onTestRunEnd(modules, unhandled) {
    if (modules.length > SLOWEST) console.log(slowest(modules));
    const count = { passed: 0, failed: unhandled.length, skipped: 0 };
    for (const module of modules) {
      let failed = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // A run that was cut short leaves tests pending.
        count[state === 'pending' ? 'skipped' : state] += 1;
        if (state === 'failed') failed += 1;
      }
      // A file that does not load, or whose hooks fail, fails without a failed test.
      if (module.state() === 'failed' && failed === 0) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
    console.log(`${count.passed} passed, ${count.failed} failed${skipped}`);
  }
}

function slowest(modules) {
  const timed = modules.map((module) => ({
    path: relative(root, module.moduleId),
    took: module.diagnostic().duration,
  }));
  const lines = timed
    .sort((one, other) => other.took - one.took)
    .slice(0, SLOWEST)
    .map(({ path, took }) => `${(took / 1000).toFixed(1).padStart(7)} s  ${path}`);
  return ['The slowest files:', ...lines, ''].join('\n');
}
