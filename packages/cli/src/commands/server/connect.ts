import { isObject, type JsonObject } from '@countersign/protocol';
import { LOCAL_SERVER } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { readContexts, writeContext } from '../../home/contexts.js';
import { Failure } from '../../terminal/failure.js';
import { ServerConnection } from '../../wire/connection.js';
import { isSameServer, serverUrl } from '../../wire/exchange.js';
import { ANONYMOUS } from '../../wire/identity.js';

export const connectServer: CliCommand = {
  path: ['connect'],
  summary: 'Choose the server',
  about: 'Asks the server who it is, and notes its address in the context. Choosing another server forgets the ledger.',
  arguments: [
    {
      name: 'url',
      about: 'base URL, which ends in /v2',
      ask: { kind: 'text', message: 'Server', initial: LOCAL_SERVER },
    },
  ],
  options: [{ flags: '--context <name>', about: 'the context to note it in; it becomes the selected one' }],
  examples: [{ call: `countersign connect ${LOCAL_SERVER}`, about: 'the server that `npm start` runs' }],
  async run(invocation) {
    const server = serverUrl(await invocation.need('url'));
    const information = await informationOf(
      new ServerConnection(server, undefined, ANONYMOUS, invocation.surroundings.now),
    );
    const { current, contexts } = await readContexts(invocation.home);
    const name = invocation.get('context') ?? current;
    const isSame = isSameServer(contexts[name]?.server, server.href);
    await writeContext(invocation.home, name, {
      server: server.href,
      ...(isSame ? {} : { ledger: undefined, system: undefined }),
    });
    invocation.output.done(`Connected to server ${information.handle} (${server.href})`);
    if (invocation.output.isJson) invocation.output.result({ context: name, ...information }, () => '');
  },
};

/**
 * What a server says of itself (interface/ledgers#server-information).
 *
 * @throws Failure when it is not a ledger server
 */
export async function informationOf(connection: ServerConnection): Promise<JsonObject> {
  const { data } = await connection.outside().get('');
  if (isObject(data) && typeof data.semver === 'string') return data;
  throw new Failure('unreachable', `${connection.server.href} is not a ledger server.`, {
    advice: 'check the address: the base URL ends in /v2',
  });
}
