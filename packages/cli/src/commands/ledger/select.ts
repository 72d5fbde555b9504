import { isRefusal, type Ledger, type Schemas, systemKeyOf } from '@countersign/client';
import { type CommandTarget, findTarget, LOCAL_SERVER, makeClient, openKey } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { readContexts } from '../../home/contexts.js';
import { isSameServer } from '../../wire/exchange.js';
import { selectLedger } from './make.js';

export const ledgerSelect: CliCommand = {
  path: ['ledger', 'select'],
  summary: 'Choose the ledger that commands are about',
  about:
    'Notes the key that the ledger signs with. It replaces another key that was noted before only when that is confirmed.',
  arguments: [
    { name: 'handle', about: 'handle of the ledger', ask: { kind: 'text', message: 'Handle of the ledger' } },
  ],
  connects: true,
  async run(invocation) {
    const handle = await invocation.need('handle');
    const before = await findTarget(invocation);
    // Whatever key was noted: it is to be learnt anew, and compared.
    const { system: _, ...target } = before;
    const record = await readLedger(await makeClient(target, undefined, handle), async () => {
      const key = target.signer === undefined ? undefined : await openKey(invocation, target.signer);
      return makeClient(target, key, handle);
    });
    await confirmKey(invocation, record, before);
    const system = await selectLedger(invocation, record, before.signer);
    invocation.output.done(`Ledger ${handle} is selected.`);
    invocation.output.result({ ledger: handle, system }, () => `Key of the ledger: ${system}`);
  },
};

/** Whoever stands between here and the server could otherwise put a key of theirs in the place of the one that was noted. */
async function confirmKey(
  invocation: Invocation,
  record: Schemas['ledger'],
  { name, server }: CommandTarget,
): Promise<void> {
  const noted = (await readContexts(invocation.home)).contexts[name];
  const isSame = noted?.ledger === record.data.handle && isSameServer(noted.server, server ?? LOCAL_SERVER);
  if (!isSame || noted.system === undefined || noted.system === systemKeyOf(record)) return;
  invocation.output.warn(`this ledger signed with another key before: ${noted.system}`);
  await invocation.confirm(`Note the key ${systemKeyOf(record)} in its place?`);
}

/** The ledger's record. By default everyone may read it, so that no key is asked for before it is needed. */
async function readLedger(nobody: Ledger, somebody: () => Promise<Ledger>) {
  try {
    return await nobody.record.get();
  } catch (error) {
    if (!isRefusal(error) || !error.reason.startsWith('auth.')) throw error;
    return (await somebody()).record.get();
  }
}
