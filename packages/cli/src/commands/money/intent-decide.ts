import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { writeIntent } from './intent-text.js';
import { awaitIntent, timeoutOf, WAIT } from './intent-wait.js';

/** Decide on an intent that is held. */
export const intentCommit = decision('commit', 'Commit an intent that is held');
export const intentAbort = decision('abort', 'Abort an intent that is held');

function decision(action: 'commit' | 'abort', summary: string): CliCommand {
  return {
    path: ['intent', action],
    summary,
    arguments: [
      { name: 'id', about: 'handle or luid of the intent', ask: { kind: 'text', message: 'Handle of the intent' } },
    ],
    options: WAIT,
    connects: true,
    async run(invocation) {
      const id = await invocation.need('id');
      await timeoutOf(invocation);
      const { ledger } = await openLedger(invocation, true);
      const signed = await ledger.intents[action](id);
      const intent = await awaitIntent(invocation, ledger, signed, action === 'commit' ? 'completed' : 'rejected');
      invocation.output.done(
        invocation.is('wait') ? `Intent ${id} ${intent.meta.status}.` : `Intent ${id}: ${action} signed.`,
      );
      await writeIntent(invocation, ledger, intent);
    },
  };
}
