import { type Schemas, systemKeyOf } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import { type CommandTarget, findTarget, LOCAL_SERVER, makeClient, tellHint } from '../../connect.js';
import type { Option } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { writeContext } from '../../home/contexts.js';
import type { SigningKeyPair } from '../../home/encrypted-key.js';
import { usage } from '../../terminal/failure.js';
import { serverUrl } from '../../wire/exchange.js';

type LedgerRecord = Schemas['ledger'];

/** The option that takes the code of an invitation. */
export const INVITATION_OPTION: Option = {
  flags: '--invitation <code>',
  env: 'COUNTERSIGN_INVITATION',
  about: "the code of an invitation by the server's operator; other users can see flags, so prefer the variable",
};

/** The invitation of a call. @throws Failure where it is not one as servers make them */
export function invitationOf(invocation: Invocation): string | undefined {
  const code = invocation.get('invitation')?.trim() || undefined;
  if (code === undefined || /^inv_[\w-]{32}$/.test(code)) return code;
  throw usage('The invitation is not whole: its code is `inv_` and 32 characters more.', 'copy it again');
}

/** Makes a ledger, signed by the key, with the invitation that the call has. */
export async function makeLedger(
  invocation: Invocation,
  target: CommandTarget,
  key: SigningKeyPair,
  data: JsonObject,
): Promise<LedgerRecord> {
  const invitation = invitationOf(invocation);
  const token = invitation === undefined ? undefined : () => invitation;
  const server = await makeClient(target, key, undefined, tellHint(invocation), token);
  return server.ledgers.create(data as Parameters<typeof server.ledgers.create>[0]);
}

/**
 * Makes a ledger the one that commands are about, and notes the key that it signs with.
 *
 * @returns that key
 */
export async function selectLedger(invocation: Invocation, record: LedgerRecord, signer?: string): Promise<string> {
  const { name, server = LOCAL_SERVER } = await findTarget(invocation);
  const system = systemKeyOf(record);
  await writeContext(invocation.home, name, {
    server: serverUrl(server).href,
    ledger: record.data.handle,
    system,
    signer,
  });
  return system;
}
