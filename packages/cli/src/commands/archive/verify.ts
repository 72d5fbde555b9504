import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { ExportVerifier, NotAnExport, type Summary } from '@countersign/verifier';
import { connect, targetOf } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { local, usage } from '../../terminal/failure.js';
import { linesOf } from '../../terminal/lines.js';
import { Progress } from '../../terminal/progress.js';
import { Findings } from './findings.js';
import { loadSuite } from './server-parts.js';
import { verifyServed } from './verify-served.js';

export const verify: Command = {
  path: ['verify'],
  summary: 'Verify an export, a ledger or a record, without trust in the server',
  about:
    'Recomputes every hash, verifies every proof, and follows each history from version to version; of money, replays the proofs of ' +
    'all intents. It says what it found, what it checked, and what cannot be told. The exit code is 1 when something was found. ' +
    'Of a server it reads what the key may read. docs/export.md lists the checks.',
  arguments: [
    {
      name: 'what',
      about: 'a file; a record, as a luid or like wallets/shop; nothing for all of the selected ledger',
      isOptional: true,
    },
  ],
  options: [
    {
      flags: '--key <public>',
      about:
        "the ledger's public key as you noted it, base64; of a server, the one that the context notes unless given",
    },
    {
      flags: '--complete',
      about: 'the key may read everything: what is missing is a finding, and balances are compared',
    },
  ],
  connects: true,
  examples: [
    { call: 'countersign verify acme.ndjson', about: 'an export' },
    { call: 'countersign verify wallets/shop', about: 'a record of the selected ledger' },
    { call: 'countersign verify', about: 'all of the selected ledger that the key may read' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const what = invocation.get('what');
    const progress = new Progress(surroundings, output.isJson);
    const findings = new Findings(invocation, () => progress.end());
    const { suite, isNative } = await loadSuite();
    if (!isNative)
      output.note('The server is not installed here: signatures are verified in plain JavaScript, which is slow.');
    const isFile = what !== undefined && statSync(what, { throwIfNoEntry: false })?.isFile() === true;
    const pinned = invocation.get('key') ?? (isFile ? undefined : (await targetOf(invocation)).system);
    const options = { suite, found: findings.take, ...(pinned === undefined ? {} : { pinned }) };
    let summary: Summary;
    try {
      summary = isFile
        ? await verifyFile(what, { ...options, digest: createHash('sha256') }, progress)
        : await verifyServed(await connect(invocation), recordOf(what), options, {
            isComplete: invocation.is('complete'),
            progress: (done) => progress.at('Verifying', done, 0),
          });
    } finally {
      progress.end();
    }
    findings.conclude(summary);
  },
};

async function verifyFile(
  path: string,
  options: ConstructorParameters<typeof ExportVerifier>[0],
  progress: Progress,
): Promise<Summary> {
  const verifier = new ExportVerifier(options);
  try {
    for await (const line of linesOf(path)) {
      verifier.add(line);
      progress.at('Verifying', verifier.changes, verifier.header?.changes ?? 0);
    }
    return verifier.end();
  } catch (error) {
    if (error instanceof NotAnExport) throw local(error.message);
    throw error;
  }
}

/** A luid, or the path of a record. */
function recordOf(what: string | undefined): string | undefined {
  if (
    what === undefined ||
    /^\$[a-z]{3}\.[\w-]{17}$/.test(what) ||
    /^\/?[a-z]+(\/[^/]+)+$/.test(what) ||
    what === 'ledger'
  )
    return what;
  throw usage(
    `There is no file ${what}.`,
    'give a file, a luid, or a path like wallets/shop; --ledger names another ledger',
  );
}
