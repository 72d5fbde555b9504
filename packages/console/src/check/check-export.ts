import { encodeHex, portable } from '@countersign/protocol';
import { ExportVerifier, type Finding, formatFinding, type Summary } from '@countersign/verifier';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { readPolicy } from '../verify/log.js';
import { linesOf } from './files.js';

/** Findings that are shown. */
const MOST_FINDINGS = 200;

/** Changes between two rests, in which the page is drawn. */
const REST = 20;

/** What was found of an export. */
export interface ExportResult {
  readonly summary: Summary;
  readonly findings: readonly string[];
  /** Of all, those beside the ones that are shown included. */
  readonly count: number;
  /** The key that the file names as the ledger's. */
  readonly key: string;
}

/**
 * Verifies an export in this page, without a server.
 *
 * @param progress is told of how many changes were verified, of how many
 * @throws NotAnExport
 */
export async function checkExport(
  file: File,
  given: { readonly key: string; readonly policy: string },
  progress: (done: number, all: number) => void,
): Promise<ExportResult> {
  const running = sha256.create();
  const findings: string[] = [];
  let count = 0;
  const policy = readPolicy(given.policy);
  const verifier = new ExportVerifier({
    suite: portable,
    digest: {
      update: (text) => running.update(utf8ToBytes(text)),
      digest: () => encodeHex(running.digest()),
    },
    ...(given.key === '' ? {} : { pinned: given.key }),
    ...(policy === undefined ? {} : { policy }),
    found: (finding: Finding) => {
      count += 1;
      if (findings.length < MOST_FINDINGS) findings.push(formatFinding(finding));
    },
  });
  let rested = 0;
  for await (const line of linesOf(file)) {
    verifier.add(line);
    if (verifier.changes < rested + REST) continue;
    rested = verifier.changes;
    progress(rested, verifier.header?.changes ?? 0);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const summary = verifier.end();
  return { summary, findings, count, key: verifier.header?.keys.system ?? '' };
}
