import { createHash, hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { LogError, type Policy, parsePolicy } from '@countersign/protocol/log';
import { ExportVerifier, type FileOptions, NotAnExport, type Summary } from '@countersign/verifier';
import { connectToServer, findTarget } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { localFailure, usage } from '../../terminal/failure.js';
import { linesOf } from '../../terminal/lines.js';
import { ProgressBar } from '../../terminal/progress.js';
import { pathNamed } from '../records/kind-names.js';
import { Findings } from './findings.js';
import { verifyAgain } from './read-again.js';
import { loadSuite } from './server-parts.js';
import { type ProvenVersion, verifyInLog } from './verify-proof.js';
import { type ServedOptions, verifyServed } from './verify-server.js';

export const verifyCommand: CliCommand = {
  path: ['verify'],
  summary: 'Verify an export, a ledger or a record, without trust in the server',
  about:
    'Recomputes every hash, verifies every proof, and follows each history from version to version; of money, replays the proofs of ' +
    'all intents; of an export, holds every change against the log of the ledger. It says what it found, what it checked, and what cannot be told. The exit code is 1 when something was found. ' +
    'Of a server it reads what the key may read, and reads again before it tells of what a write meanwhile may have brought about. docs/export.md lists the checks.',
  arguments: [
    {
      name: 'what',
      about: 'a file; a record, as a luid or like wallet/shop or wallets/shop; nothing for all of the selected ledger',
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
      flags: '--checkpoint <file...>',
      about:
        "of an export: a signed checkpoint of the ledger's log that you or a witness kept; the log must go on from it",
    },
    {
      flags: '--policy <file>',
      about: 'of an export: whose cosignatures its checkpoint must have, in the form of C2SP tlog-policy',
    },
    {
      flags: '--proof <file>',
      about:
        'of a version as it was served, in a file: the proof that it is in the log, in the form of C2SP tlog-proof',
    },
    { flags: '--vkey <key>', about: 'with --proof: the key of the log, where no policy names it' },
    { flags: '--change <number>', about: 'with --proof: the number of the version', default: '1' },
    {
      flags: '--complete',
      about: 'the key may read everything: what is missing is a finding, and balances are compared',
    },
  ],
  connects: true,
  examples: [
    { call: 'countersign verify acme.ndjson', about: 'an export' },
    {
      call: 'countersign verify acme.ndjson --checkpoint acme.june --policy witnesses.txt',
      about: 'an export whose log goes on from a checkpoint of June, and that witnesses have cosigned',
    },
    {
      call: 'countersign verify shop.json --proof shop.proof --vkey log+0a1b2c3d+AbC…',
      about: 'a record as it was served, by its proof of inclusion, without the server',
    },
    { call: 'countersign verify wallet/shop', about: 'a record of the selected ledger' },
    { call: 'countersign verify', about: 'all of the selected ledger that the key may read' },
  ],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const what = invocation.get('what');
    const progress = new ProgressBar(surroundings, output.isJson);
    // Who reads a part of it only must not take that for success.
    surroundings.needsReader?.();
    const findings = new Findings(invocation, () => progress.end());
    const { suite, isNative } = await loadSuite();
    if (!isNative)
      output.note('The server is not installed here: signatures are verified in plain JavaScript, which is slow.');
    const isFile = what !== undefined && statSync(what, { throwIfNoEntry: false })?.isFile() === true;
    if (invocation.get('proof') !== undefined) {
      verifyInLog(invocation, proofInput(invocation), suite);
      return;
    }
    const pinned = invocation.get('key') ?? (isFile ? undefined : (await findTarget(invocation)).system);
    if (!isFile && (invocation.all('checkpoint').length > 0 || invocation.get('policy') !== undefined))
      throw usage('--checkpoint and --policy need an export.', 'name its file');
    const options = { suite, found: findings.take, pinned };
    let summary: Summary;
    try {
      summary = isFile
        ? await verifyExportFile(
            what,
            { ...options, ...logOptions(invocation), digest: createHash('sha256') },
            progress,
          )
        : await verifyLive(invocation, recordPath(what), options, findings, progress);
    } finally {
      progress.end();
    }
    findings.conclude(summary);
  },
};

/** What an export's log is held against. */
function logOptions(invocation: Invocation): Pick<FileOptions, 'sha256' | 'checkpoints' | 'policy'> {
  const policy = invocation.get('policy');
  return {
    sha256: (bytes) => hash('sha256', bytes, 'buffer'),
    checkpoints: invocation
      .all('checkpoint')
      .map((path) => ({ name: `the checkpoint ${path}`, text: contentOf(path) })),
    ...(policy === undefined ? {} : { policy: readPolicyFile(policy) }),
  };
}

function proofInput(invocation: Invocation): ProvenVersion {
  const what = invocation.get('what');
  const vkey = invocation.get('vkey');
  const policy = invocation.get('policy');
  const change = Number(invocation.get('change'));
  if (what === undefined) throw usage('--proof needs a version.', 'name the file that has it');
  if (!Number.isSafeInteger(change) || change < 1) throw usage('--change is a number from 1 on.');
  if ((vkey === undefined) === (policy === undefined))
    throw usage(
      'A proof is verified against the key of its log.',
      'give its key with --vkey, or a policy with --policy',
    );
  return {
    // Served without a line break, which an editor may have added.
    text: contentOf(what).replace(/\n$/, ''),
    change,
    proof: contentOf(invocation.get('proof')!),
    policy: policy === undefined ? policyOfKey(vkey!) : readPolicyFile(policy),
  };
}

function policyOfKey(vkey: string): Policy {
  try {
    return parsePolicy(`log ${vkey}\nquorum none\n`);
  } catch (error) {
    if (error instanceof LogError) throw usage(`The key of --vkey is not that of a log: ${error.detail}.`);
    throw error;
  }
}

function readPolicyFile(path: string): Policy {
  try {
    return parsePolicy(contentOf(path));
  } catch (error) {
    if (error instanceof LogError) throw usage(`${path} is not a policy: ${error.detail}.`);
    throw error;
  }
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw usage(`The file ${path} is missing, or cannot be read.`);
  }
}

async function verifyLive(
  invocation: Invocation,
  record: string | undefined,
  options: ServedOptions,
  findings: Findings,
  progress: ProgressBar,
): Promise<Summary> {
  const connection = await connectToServer(invocation);
  const how = {
    isComplete: invocation.is('complete'),
    progress: (done: number) => progress.at('Verifying', done, 0),
  };
  return verifyAgain((found) => verifyServed(connection, record, { ...options, found }, how), findings);
}

async function verifyExportFile(path: string, options: FileOptions, progress: ProgressBar): Promise<Summary> {
  const verifier = new ExportVerifier(options);
  try {
    for await (const line of linesOf(path)) {
      verifier.add(line);
      progress.at('Verifying', verifier.changes, verifier.header?.changes ?? 0);
    }
    return verifier.end();
  } catch (error) {
    if (error instanceof NotAnExport) throw localFailure(error.message);
    throw error;
  }
}

/** A luid, or the path of a record. */
function recordPath(what: string | undefined): string | undefined {
  if (what === undefined || /^\$[a-z]{3}\.[\w-]{17}$/.test(what) || what === 'ledger') return what;
  const path = pathNamed(what);
  if (path !== undefined && !/\/(\/|$)/.test(path)) return path;
  throw usage(
    `${what} is neither a file nor the name of a record.`,
    'give a file, a luid, or a record like wallet/shop; --ledger names another ledger',
  );
}
