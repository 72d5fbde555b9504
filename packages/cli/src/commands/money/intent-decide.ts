import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { Command } from '../../description/command.js';
import { recordText } from '../../terminal/record-text.js';

/** Decide on an intent that is held. */
export const intentCommit = decision('commit', 'Have an intent that is held done');
export const intentAbort = decision('abort', 'Have an intent that is held fail');

function decision(action: 'commit' | 'abort', summary: string): Command {
  return {
    path: ['intent', action],
    summary,
    arguments: [
      { name: 'id', about: 'handle or luid of the intent', ask: { kind: 'text', message: 'Handle of the intent' } },
    ],
    connects: true,
    async run(invocation) {
      const id = await invocation.need('id');
      const { ledger } = await openLedger(invocation, true);
      const intent = await ledger.intents[action](id);
      invocation.output.done(`Intent ${id}: ${action} signed.`);
      invocation.output.result(intent as unknown as Json, () => recordText('Intent', intent));
    },
  };
}
