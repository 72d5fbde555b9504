import { type AnyRefusal, isRefusal, type Ledger, type Schemas } from '@countersign/client';
import { ledgerOfOwner } from '@countersign/client/owner';
import { findTarget, LOCAL_SERVER, makeClient, openKey } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Invocation } from '../../description/invocation.js';
import { pairOf, type SigningKeyPair } from '../../home/encrypted-key.js';
import { KeyStore, type StoredKey } from '../../home/key-store.js';
import { Failure } from '../../terminal/failure.js';
import { commandName } from '../../terminal/surroundings.js';
import { ServerConnection } from '../../wire/connection.js';
import { serverUrl } from '../../wire/exchange.js';
import { ANONYMOUS } from '../../wire/identity.js';
import { NEW_PASSWORD } from '../key/create.js';
import { INVITATION_OPTION, invitationOf, makeLedger, selectLedger } from '../ledger/make.js';
import { informationOf } from './connect.js';

export const init: CliCommand = {
  path: ['init'],
  summary: 'Begin: a key, a ledger that it owns, and rules by which it may read and write',
  about:
    'Makes the key unless the key store has it, makes the ledger, selects both, ' +
    'and prints them as environment variables. ' +
    'The ledger takes tokens that name it or the server, and proofs that name it. ' +
    'Nobody else has any right in the ledger until its rules name others.',
  arguments: [
    { name: 'ledger', about: 'handle of the new ledger', ask: { kind: 'text', message: 'Handle of the ledger' } },
  ],
  options: [
    {
      flags: '--signer <key>',
      env: 'COUNTERSIGN_SIGNER',
      about: 'name of the key; it is made if there is none',
      ask: { kind: 'text', message: 'Name of your key', initial: 'owner' },
    },
    {
      flags: '--server <url>',
      env: 'COUNTERSIGN_SERVER',
      about: 'base URL of the server; else that of the context',
    },
    { flags: '--context <name>', env: 'COUNTERSIGN_CONTEXT', about: 'use this context instead of the selected one' },
    {
      flags: '--unbound',
      about:
        'also take proofs that do not name the ledger, as @minka/ledger-sdk signs them: they count in each ledger of their key',
    },
    INVITATION_OPTION,
    {
      flags: '--password-stdin',
      about: 'read the password of the key from standard input; COUNTERSIGN_PASSWORD may hold it instead',
      ask: { kind: 'password', message: 'Password of the key' },
    },
  ],
  examples: [{ call: 'countersign init acme', about: 'asks for the rest' }],
  async run(invocation) {
    const { output, surroundings } = invocation;
    const target = await findTarget(invocation);
    const server = serverUrl(target.server ?? LOCAL_SERVER);
    // Before anything is made here.
    const isInvited = invitationOf(invocation) !== undefined;
    const information = await informationOf(new ServerConnection(server, undefined, ANONYMOUS, surroundings.now));
    const { handle: name } = information;
    const handle = await invocation.need('ledger');
    const signer = await invocation.need('signer');
    const { key, made } = await findOrMakeKey(invocation, signer);
    // Tokens of the token endpoint name the server's address as it states it.
    const audiences = [String(information.server), server.href.replace(/\/+$/, '')];
    const { config: bound, ...others } = ledgerOfOwner(handle, key.public, audiences);
    const { 'proof.ledgerRequired': _, ...unbound } = bound;
    const data = { ...others, config: invocation.is('unbound') ? unbound : bound };
    const record = await makeLedger(invocation, { ...target, signer }, key, data).catch(async (error: unknown) => {
      // Nothing was signed but the ledger that is not there.
      if (made && isRefusal(error)) {
        await new KeyStore(invocation.home).remove(made);
        output.note(`Key ${signer} was deleted again: it owns nothing.`);
      }
      throw isAuthRefusal(error) && !isInvited ? nobodyMay(error, server) : error;
    });
    const system = await selectLedger(invocation, record, signer);
    await nameLuid(await makeClient({ ...target, signer, ledger: handle, system }, key, handle), record);
    output.done(`Ledger ${handle} made on server ${name}, owned by ${signer}.`);
    output.note(
      'Its rules let your key do everything, and nobody else anything. Next: ' +
        `${commandName(surroundings)} wallet create`,
    );
    const environment = { COUNTERSIGN_SERVER: server.href, COUNTERSIGN_LEDGER: handle, COUNTERSIGN_SIGNER: signer };
    output.result({ ...environment, luid: record.luid, public: key.public, system }, () =>
      Object.entries(environment)
        .map(([variable, value]) => `export ${variable}=${quoteForShell(value)}`)
        .join('\n'),
    );
  },
};

/** Has the ledger take tokens that name its luid, which is known once it is made. */
async function nameLuid(client: Ledger, record: Schemas['ledger']): Promise<void> {
  await client.record.update(record, (data) => {
    const taken = data.config?.['token.audiences'] ?? [];
    return { ...data, config: { ...data.config, 'token.audiences': [...taken, record.luid] } };
  });
}

function isAuthRefusal(error: unknown): error is AnyRefusal {
  return isRefusal(error, 'auth.forbidden') || isRefusal(error, 'auth.unauthorized');
}

/** No ledger is there yet, whose owner could grant anything. */
function nobodyMay({ reason, detail }: AnyRefusal, { href }: URL): Failure {
  return new Failure('refused', detail, {
    reason,
    advice:
      `the server ${href} lets nobody make a ledger with this key: ask its operator, who sets SERVER_ACCESS_RULES, ` +
      'or for an invitation (--invitation <code>)',
  });
}

/** The key of the store, or a new one, which `made` is then. */
async function findOrMakeKey(
  invocation: Invocation,
  name: string,
): Promise<{ readonly key: SigningKeyPair; readonly made?: StoredKey }> {
  const store = new KeyStore(invocation.home, invocation.surroundings.keyWork);
  if ((await store.list()).some((one) => one.name === name)) {
    return { key: await openKey(invocation, name) };
  }
  await store.assertFree(name);
  const password = await invocation.password(NEW_PASSWORD);
  const key = KeyStore.generate();
  const made = await store.add(name, key, password);
  invocation.output.done(`Key ${name} made.`);
  return { key: pairOf(key), made };
}

/** Text as a shell takes it. */
function quoteForShell(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
