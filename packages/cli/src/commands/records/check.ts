import type { KindDescription } from '@countersign/client/description';
import { collectStandingRules, findGrantingRules, textOfGranting } from '@countersign/client/explain';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { printable } from '../../terminal/printable.js';
import { nounWithArticle, operationsOf, recordArguments, requireId } from './kind.js';

export function checkCommand(kind: KindDescription): CliCommand {
  const hasId = kind.item.includes('{id}');
  return {
    path: [kind.record, 'check'],
    summary: hasId
      ? `List the rules that grant the key an action on ${nounWithArticle(kind)}`
      : 'List the rules that grant the key an action',
    about:
      'Below each rule it says whom the rule is for, if the key may read the rules. The list is empty where no rule grants it. ' +
      '`access explain` tells more, and of other signers, too.',
    arguments: [
      ...recordArguments(kind),
      { name: 'action', about: 'such as read, update, drop', ask: { kind: 'text', message: 'Action' } },
    ],
    options: [
      { flags: '--record <name>', about: `what the action is on, as rules name it; ${kind.record} unless given` },
    ],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const action = await invocation.need('action');
      const record = invocation.get('record');
      const open = await openLedger(invocation, true);
      const operations = await operationsOf(kind, invocation, open);
      const options = record === undefined ? {} : { record };
      const granted: { readonly data: Json }[] = await operations.check(...id, action, options);
      const rules = granted.map(({ data }) => data);
      const { output } = invocation;
      if (output.isJson) return output.result(rules, () => '');
      const standing = await collectStandingRules(open.ledger, operations, id);
      const asker = { public: open.key?.public ?? '', handle: open.target.signer };
      const lines = findGrantingRules(rules, standing, kind.record, asker).flatMap(textOfGranting);
      output.result(rules, () => lines.map(printable).join('\n') || 'No rule grants it.');
    },
  };
}
