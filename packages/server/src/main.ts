import { tooOld } from './node-version.js';

// Checked before anything else is loaded, since an old Node.js fails to parse the rest.
const problem = tooOld(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exitCode = 1;
} else {
  void import('./start.js').then(({ start }) => start());
}
