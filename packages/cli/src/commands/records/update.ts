import type { KindDescription } from '@countersign/client/description';
import type { Json, JsonObject } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { confirmAccess } from '../ledger/confirm-access.js';
import { nameMemberOf, nounWithArticle, operationsOf, recordArguments, requireId, type SignedRecord } from './kind.js';
import { dataOfFlags, memberOptions } from './members.js';
import { SECRET, STATEMENT, secretsOf, statementOf } from './statement.js';

export function updateCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'update'],
    summary: kind.item.includes('{id}')
      ? `Change the data of ${nounWithArticle(kind)}`
      : `Change the data of the ${kind.record}`,
    about:
      'Members that are not given stay as they are. A change that somebody else made after the record was read is never ' +
      'overwritten: in that case the command is refused.' +
      (kind.record === 'ledger'
        ? ' Asks before it sets rules that may lock out the key that signs; --yes answers.'
        : ''),
    arguments: recordArguments(kind),
    options: [
      ...memberOptions(kind),
      { flags: '--unset <member...>', about: 'leave out these members' },
      { flags: '--replace', about: 'leave out every member that is not given' },
      ...STATEMENT,
      ...SECRET,
    ],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const given = await dataOfFlags(kind, invocation);
      const unset = invocation.all('unset');
      if (Object.keys(given).length === 0 && unset.length === 0)
        throw usage('There is nothing to change.', 'give a member');
      const statement = await statementOf(invocation);
      const open = await openLedger(invocation, true);
      const operations = await operationsOf(kind, invocation, open);
      const before: SignedRecord = await operations.get(...id);
      const data = mergeData(before, given, unset, invocation.is('replace') ? kind : undefined);
      if (kind.record === 'ledger') await confirmAccess(invocation, open, before, data);
      const after: SignedRecord = await operations.update(before, data, {
        custom: statement,
        ...(await secretsOf(invocation)),
      });
      invocation.output.done(`${kind.title} ${after.data[nameMemberOf(kind).name] ?? ''} changed.`);
      invocation.output.result(after as unknown as Json, () => formatRecord(kind.title, after));
    },
  };
}

/** The whole new data; of a record that is replaced only what names it stays. */
function mergeData(
  before: SignedRecord,
  given: JsonObject,
  unset: readonly string[],
  replaced?: KindDescription,
): JsonObject {
  const { parent: _, ...data } = before.data as JsonObject;
  const names = replaced === undefined ? undefined : [nameMemberOf(replaced).name, replaced.parent];
  const kept = Object.entries(data).filter(([name]) => names === undefined || names.includes(name));
  const all = Object.entries({ ...Object.fromEntries(kept), ...given });
  return Object.fromEntries(all.filter(([name]) => !unset.includes(name)));
}
