import type { KindDescription } from '@countersign/client/description';
import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { usage } from '../../terminal/failure.js';
import { formatRecord } from '../../terminal/record-text.js';
import { nounOf, nounWithArticle, operationsOf, parentArgument } from './kind.js';

/** Erases a dropped record or a final intent, where a rule grants the key `erase` (interface/records#erase). */
export function eraseRecordCommand(kind: KindDescription): CliCommand {
  const noun = nounOf(kind);
  const isDropped = kind.operations.some(({ name }) => name === 'drop');
  return {
    path: [kind.record, 'erase'],
    summary: `Erase the contents of ${nounWithArticle(kind)} irrevocably`,
    about:
      `${isDropped ? 'It must be dropped first' : 'It must be completed or rejected'}. Asks for a confirmation: it cannot be undone. The ledger must grant ` +
      'the key `erase`, which `any` leaves out. The reason stays, so keep names out of it.',
    arguments: [
      ...parentArgument(kind),
      { name: 'luid', about: `luid of the ${noun}`, ask: { kind: 'text', message: `Luid of the ${noun}` } },
    ],
    options: [
      { flags: '--reason <text>', about: 'why; it stays', ask: { kind: 'text', message: 'Reason, which stays' } },
    ],
    connects: true,
    async run(invocation) {
      const luid = await invocation.need('luid');
      if (!luid.startsWith('$')) {
        throw usage(
          'What is erased is named by its luid.',
          `${isDropped ? 'the drop printed it' : `countersign ${kind.record} show prints it`}; quote it: its $ is not for the shell`,
        );
      }
      const reason = await invocation.need('reason');
      await invocation.confirm(`Erase the ${noun} ${luid}? It cannot be undone.`);
      const operations = await operationsOf(kind, invocation, await openLedger(invocation, true));
      const record: Json = await operations.erase(luid, reason);
      invocation.output.done(`${kind.title} ${luid} erased.`);
      invocation.output.result(record, () => formatRecord(kind.title, record));
    },
  };
}
