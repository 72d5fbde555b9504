import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { nounWithArticle, type Operations, operationsOf, recordArguments, requireId } from './kind.js';

/** The proof that a version is in the log (interface/log#inclusion). */
export function inclusionCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'inclusion'],
    summary: kind.item.includes('{id}')
      ? `Write the proof that a version of ${nounWithArticle(kind)} is in the log`
      : 'Write the proof that a version of the record of the ledger is in the log',
    about:
      'A proof file in the form of C2SP tlog-proof, which `countersign verify <file> --proof` takes. Whoever has it, and the ' +
      'version as it was served, needs no server. With --json it is `proof` of the data that the ledger answers with.',
    arguments: recordArguments(kind),
    options: [{ flags: '--change <number>', about: 'number of the version', default: '1' }],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const change = parseSize(invocation.get('change') ?? '', 'the number of a version');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const { data } = await operations.inclusion(...id, change);
      if (invocation.output.isJson) invocation.output.result(data, () => '');
      else invocation.output.raw(data.proof);
    },
  };
}

/** How far the log is (interface/log#state). */
export function logCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'log'],
    summary: 'Show how far the log of the ledger is',
    connects: true,
    async run(invocation) {
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      showLog(invocation, await operations.log());
    },
  };
}

/** The proof that the log only grew (interface/log#consistency). */
export function consistencyCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'consistency'],
    summary: 'Show the proof that the log of the ledger begins with an older one',
    arguments: [
      { name: 'from', about: 'leaves of the older tree' },
      { name: 'to', about: 'leaves of the newer tree; the one that is shown now, unless given', isOptional: true },
    ],
    connects: true,
    async run(invocation) {
      const [from, to] = ['from', 'to'].map((name) => {
        const given = invocation.get(name);
        return given === undefined ? undefined : parseSize(given, 'a number of leaves');
      });
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      showLog(invocation, await operations.consistency(from, to));
    },
  };
}

function parseSize(given: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(given)) throw usage(`'${given}' is not ${what}.`);
  return Number(given);
}

function showLog({ output }: Invocation, { data }: Awaited<ReturnType<Operations['log']>>): void {
  output.result(data, () => formatRecord('Log', { data }));
}
