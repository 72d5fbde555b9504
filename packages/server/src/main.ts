import { tooOld } from './node-version.js';

// Nothing else is loaded before this is known: an old Node.js could not even read it.
const problem = tooOld(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else {
  void import('./start.js').then(({ start }) => start());
}
