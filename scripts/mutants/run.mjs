import { parseArgs } from 'node:util';
import { say } from '../root.mjs';
import { startDatabase } from './database.mjs';
import { readMutants } from './list.mjs';
import { runTests } from './tests.mjs';
import { makeWorkspace } from './workspace.mjs';

const usage = `usage: npm run test:mutants -- [options]

  --only ID      only the defects whose id is or begins so; may be given several times
  --all-tests    run every test on each defect, not only those that are to catch it
  --check        only see whether each defect of the list still applies
  --no-baseline  leave out the run without any defect: for one defect after the other, while a test is written
  --help         print this
`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'all-tests': { type: 'boolean' },
    check: { type: 'boolean' },
    'no-baseline': { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

/** What is to be undone, last first; also when the run is ended from outside. */
const undo = [];
const ended = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ended.abort());

if (options.help) process.stdout.write(usage);
else process.exitCode = await main();

async function main() {
  const { mutants, faults } = await readMutants(options.only);
  for (const { id, fault } of faults) console.log(`does not apply  ${id}: ${fault}`);
  if (options.check) console.log(`${mutants.length} apply, ${faults.length} do not`);
  if (options.check || mutants.length + faults.length === 0) return faults.length === 0 ? 0 : 1;
  try {
    return await judge(mutants, faults);
  } catch (error) {
    if (ended.signal.aborted) return 130;
    throw error;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
}

/** Puts each defect in, one at a time, and says which of them no test notices. */
async function judge(mutants, faults) {
  const workspace = await makeWorkspace();
  undo.push(() => workspace.remove());
  const database = await startDatabase(workspace.folder);
  undo.push(() => database.stop());
  const run = (tests, quick) =>
    runTests({ folder: workspace.folder, databaseUrl: database.url, tests, quick, signal: ended.signal });
  if (!options['no-baseline']) {
    // A test that fails without any defect would seem to catch them all.
    const tests = options['all-tests'] ? [] : [...new Set(mutants.flatMap((mutant) => mutant.tests))];
    say('the tests without any defect ...');
    const { failed, ok, output } = await run(tests, false);
    if (!ok) {
      console.error(`The tests fail without any defect:\n${failed.join('\n') || output}`);
      return 1;
    }
  }
  const count = { caught: 0, SURVIVED: 0, broke: 0 };
  for (const mutant of mutants) {
    const began = performance.now();
    const { verdict, why } = await tried(mutant, workspace, run);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    count[verdict] += 1;
    console.log(`${verdict.padEnd(14)}  ${mutant.id} (${seconds} s): ${why}`);
  }
  const { caught, SURVIVED: survived, broke } = count;
  console.log(`${caught} caught, ${survived} survived, ${broke} broke, ${faults.length} do not apply`);
  return survived + broke + faults.length === 0 ? 0 : 1;
}

/** One defect: `caught` by a test that fails, `SURVIVED`, or `broke` when no test could even begin. */
async function tried(mutant, workspace, run) {
  await workspace.apply(mutant);
  try {
    // One after the other: what a quick test catches need not keep the slow ones busy.
    for (const tests of options['all-tests'] ? [[]] : mutant.tests.map((one) => [one])) {
      const { ok, failed, output } = await run(tests, true);
      if (failed.length > 0) return { verdict: 'caught', why: failed[0] };
      if (!ok) return { verdict: 'broke', why: `no test failed, the run did:\n${output.slice(-2_000)}` };
    }
    return { verdict: 'SURVIVED', why: mutant.breaks };
  } finally {
    await workspace.restore(mutant);
  }
}
