#!/usr/bin/env node
import { tooOld } from './node-version.js';

// Checked before anything else is loaded, since an old Node.js fails to parse the rest. Then `JSON.parse` is replaced: a module that
// is loaded earlier may keep the one it finds.
const versionProblem = tooOld(process.versions.node);
if (versionProblem !== undefined) {
  console.error(versionProblem);
  process.exitCode = 1;
} else {
  void import('@countersign/protocol/replace-json-parse').then(() => import('./start.js')).then(({ start }) => start());
}
