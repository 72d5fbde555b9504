import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { parseInputObject, resolveText } from '../../terminal/input.js';
import { formatJson } from '../../terminal/record-text.js';
import { table } from '../../terminal/table.js';
import { operationsOf, recordArguments, requireId } from './kind.js';

/** What is known of a wallet's address, here or at its bridge: `anchors`, `domains`. */
export function addressLookupCommand(operation: 'anchors' | 'domains'): (kind: KindDescription) => CliCommand {
  return (kind) => ({
    path: [kind.record, operation],
    summary: `List the ${operation} of a ${kind.record}, kept here or at its bridge`,
    arguments: recordArguments(kind),
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const found: Json[] = await operations[operation](...id);
      invocation.output.result(found, () => formatFound(found, invocation.output.width));
    },
  });
}

export function lookupCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'lookup'],
    summary: `Ask for the anchors of a ${kind.record} that match`,
    arguments: recordArguments(kind),
    options: [{ flags: '--data <json>', about: 'what is looked for, an object; @file reads a file', default: '{}' }],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const text = await resolveText(await invocation.need('data'), () => invocation.input());
      const data = parseInputObject(text, '--data');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const found: Json[] = await operations.lookup(...id, data);
      invocation.output.result(found, () => formatFound(found, invocation.output.width));
    },
  };
}

function formatFound(found: readonly Json[], width?: number): string {
  const rows = (found as { luid?: string; data?: { handle?: string } }[]).map(({ luid = '', data = {} }) => [
    String(data.handle ?? ''),
    luid,
    formatJson(data as Json),
  ]);
  return table(['HANDLE', 'LUID', 'DATA'], rows, width);
}
