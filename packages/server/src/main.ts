#!/usr/bin/env node
import { tooOld } from './node-version.js';

// Checked before anything else is loaded, since an old Node.js fails to parse the rest. What is loaded later may keep the function
// that reads JSON, and so finds the right one.
const versionProblem = tooOld(process.versions.node);
if (versionProblem !== undefined) {
  console.error(versionProblem);
  process.exitCode = 1;
} else {
  void import('@countersign/protocol/replace-json-parse').then(() => import('./start.js')).then(({ start }) => start());
}
