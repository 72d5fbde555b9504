/** Closes a run of the tests with one line that people and programs read: `N passed, N failed`. */
export default class ClosingLine {
  /** Vitest calls it when the run is over, after the reporters before this one. */
  onTestRunEnd(modules, unhandled) {
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
