import { rulesOfOwner } from '@countersign/client/owner';
import type { Json, JsonObject } from '@countersign/protocol';
import { findTarget, openKey } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { usage } from '../../terminal/failure.js';
import { parseInput, parseInputObject, resolveText } from '../../terminal/input.js';
import { confirmFirstAccess } from './confirm-access.js';
import { INVITATION_OPTION, invitationOf, makeLedger, selectLedger } from './make.js';

export const ledgerCreate: CliCommand = {
  path: ['ledger', 'create'],
  summary: 'Make a ledger, and select it',
  about:
    'Without --access, the key that signs may do everything, by signature and by token, and nobody else anything. The key that ' +
    'the ledger signs with is noted in the context.',
  arguments: [
    { name: 'handle', about: 'handle of the ledger', ask: { kind: 'text', message: 'Handle of the ledger' } },
  ],
  options: [
    { flags: '--access <json>', about: 'its rules, an array; @file reads a file' },
    { flags: '--config <json>', about: 'its configuration, an object; @file reads a file' },
    { flags: '--custom <json>', about: 'free content, an object; @file reads a file' },
    INVITATION_OPTION,
  ],
  connects: true,
  examples: [{ call: 'countersign ledger create acme --signer ada', about: 'a ledger that ada owns' }],
  async run(invocation) {
    const handle = await invocation.need('handle');
    const target = await findTarget(invocation);
    const { signer } = target;
    if (signer === undefined) throw usage('No key is chosen to sign with.', 'give --signer, or: countersign init');
    invitationOf(invocation);
    const key = await openKey(invocation, signer);
    const data = await ledgerData(invocation, handle, key.public);
    await confirmFirstAccess(invocation, key.public, data);
    const record = await makeLedger(invocation, target, key, data);
    const system = await selectLedger(invocation, record, signer);
    invocation.output.done(`Ledger ${handle} made and selected.`);
    invocation.output.result(record as unknown as Json, () => `Luid: ${record.luid}\nKey of the ledger: ${system}`);
  },
};

async function ledgerData(invocation: Invocation, handle: string, publicKey: string): Promise<JsonObject> {
  const given = async (name: string) => {
    const text = invocation.get(name);
    return text === undefined ? undefined : resolveText(text, () => invocation.input());
  };
  const [access, config, custom] = [await given('access'), await given('config'), await given('custom')];
  return {
    handle,
    signer: 'system',
    access: access === undefined ? rulesOfOwner(publicKey) : parseInput(access, '--access'),
    ...(config === undefined ? {} : { config: parseInputObject(config, '--config') }),
    ...(custom === undefined ? {} : { custom: parseInputObject(custom, '--custom') }),
  };
}
