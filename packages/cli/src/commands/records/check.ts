import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { printable } from '../../terminal/printable.js';
import { idOf, oneOf, operationsOf, recordArguments } from './kind.js';

export function checkCommand(kind: KindDescription): Command {
  const hasId = kind.item.includes('{id}');
  return {
    path: [kind.record, 'check'],
    summary: hasId
      ? `List the rules that grant the key an action on ${oneOf(kind)}`
      : 'List the rules that grant the key an action',
    about: 'The list is empty where no rule grants it. `access explain` tells more, and of other signers, too.',
    arguments: [
      ...recordArguments(kind),
      { name: 'action', about: 'such as read, update, drop', ask: { kind: 'text', message: 'Action' } },
    ],
    options: [
      { flags: '--record <name>', about: `what the action is on, as rules name it; ${kind.record} unless given` },
    ],
    connects: true,
    async run(invocation) {
      const id = await idOf(kind, invocation);
      const action = await invocation.need('action');
      const record = invocation.get('record');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const options = record === undefined ? {} : { record };
      const rules: { readonly data: Json }[] = await operations.check(...id, action, options);
      invocation.output.result(
        rules.map(({ data }) => data),
        () => rules.map(({ data }) => printable(JSON.stringify(data))).join('\n') || 'No rule grants it.',
      );
    },
  };
}
