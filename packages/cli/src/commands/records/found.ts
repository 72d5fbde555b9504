import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { objectOf, resolveText } from '../../terminal/input.js';
import { plain } from '../../terminal/record-text.js';
import { table } from '../../terminal/table.js';
import { idOf, operationsOf, recordArguments } from './kind.js';

/** What is known of a wallet's address, here or at its bridge: `anchors`, `domains`. */
export function foundCommand(operation: 'anchors' | 'domains'): (kind: KindDescription) => Command {
  return (kind) => ({
    path: [kind.record, operation],
    summary: `List the ${operation} of a ${kind.record}, kept here or at its bridge`,
    arguments: recordArguments(kind),
    connects: true,
    async run(invocation) {
      const id = await idOf(kind, invocation);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const found: Json[] = await operations[operation](...id);
      invocation.output.result(found, () => shown(found, invocation.output.width));
    },
  });
}

export function lookupCommand(kind: KindDescription): Command {
  return {
    path: [kind.record, 'lookup'],
    summary: `Ask for the anchors of a ${kind.record} that match`,
    arguments: recordArguments(kind),
    options: [{ flags: '--data <json>', about: 'what is looked for, an object; @file reads a file', default: '{}' }],
    connects: true,
    async run(invocation) {
      const id = await idOf(kind, invocation);
      const text = await resolveText(await invocation.need('data'), () => invocation.input());
      const data = objectOf(text, '--data');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const found: Json[] = await operations.lookup(...id, data);
      invocation.output.result(found, () => shown(found, invocation.output.width));
    },
  };
}

function shown(found: readonly Json[], width?: number): string {
  const rows = (found as { luid?: string; data?: { handle?: string } }[]).map(({ luid = '', data = {} }) => [
    String(data.handle ?? ''),
    luid,
    plain(data as Json),
  ]);
  return table(['HANDLE', 'LUID', 'DATA'], rows, width);
}
