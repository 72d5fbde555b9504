import { createHash, hash } from 'node:crypto';
import { linesOf } from '../packages/cli/dist/terminal/lines.js';
import { native } from '../packages/server/dist/auth/native-suite.js';
import { ExportVerifier } from '../packages/verifier/dist/index.js';

/** Lines between two looks at the memory. */
const LOOK = 2_000;

/**
 * Verifies the export that is named, in a process of its own, as `countersign verify` does: prints what it was, and what it
 * took, as JSON. It is of use by hand, too: `node bench/verify.mjs <file>`.
 */
const [path] = process.argv.slice(2);
let findings = 0;
const verifier = new ExportVerifier({
  suite: native,
  digest: createHash('sha256'),
  sha256: (bytes) => hash('sha256', bytes, 'buffer'),
  found: () => {
    findings += 1;
  },
});
const base = process.memoryUsage.rss();
let peak = base;
let count = 0;
const look = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const begin = process.cpuUsage();
for await (const line of linesOf(path)) {
  verifier.add(line);
  count += 1;
  if (count % LOOK === 0) look();
}
const { changes, signatures } = verifier.end();
look();
const { user, system } = process.cpuUsage(begin);
console.log(JSON.stringify({ changes, signatures, findings, seconds: (user + system) / 1e6, base, peak }));
