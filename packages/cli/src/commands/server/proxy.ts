import type { AddressInfo } from 'node:net';
import { connectToServer, findTarget, LOCAL_SERVER } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { CONNECTION_OPTIONS, optionName } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { createProxy } from '../../proxy/proxy.js';
import { serverUrl } from '../../wire/exchange.js';
import { type CallerIdentity, identityOfClient } from '../../wire/identity.js';
import { listening, portOf } from './port.js';

const PROXY_PORT = '4050';

export const proxy: CliCommand = {
  path: ['proxy'],
  summary: 'Run a proxy on this machine that signs requests',
  about:
    'For development and testing. A request without a token gets one, unless it is for the token endpoint; creates, updates, drops ' +
    'and proofs get a hash and a signature, or with --client-id and without --signer are left to the token. ' +
    'A record is verified before it is signed; the key of the selected ledger is the one that was noted. ' +
    'A request without x-ledger is for the selected ledger, or that of --ledger; one that names a ledger keeps it. Whoever can run a program on this machine can ' +
    'sign through the proxy while it runs; web pages cannot, unless --allow-origin admits theirs.',
  connects: true,
  options: [
    { flags: '--port <port>', about: 'port to listen at, on the loopback address only', default: PROXY_PORT },
    {
      flags: '--ledger <handle>',
      env: 'COUNTERSIGN_LEDGER',
      about: 'ledger of requests that name none; else the selected one',
    },
    { flags: '--client-id <id>', env: 'COUNTERSIGN_CLIENT_ID', about: 'take tokens for these client credentials' },
    {
      flags: '--client-secret <secret>',
      env: 'COUNTERSIGN_CLIENT_SECRET',
      about: 'their secret; other users can see flags, so prefer the variable',
      ask: { kind: 'password', message: 'Client secret' },
    },
    { flags: '--allow-origin <origin...>', about: 'let web pages of this origin use the proxy' },
    { flags: '--unbound', about: 'sign proofs without the name of the ledger' },
    ...CONNECTION_OPTIONS.filter((one) => optionName(one) !== 'ledger'),
  ],
  examples: [
    { call: 'countersign proxy --signer ada', about: 'then, in another terminal:' },
    {
      call: `curl localhost:${PROXY_PORT}/wallets -H 'x-ledger: acme' -d '{"data": {"handle": "shop"}}'`,
      about: 'makes a wallet, signed',
    },
  ],
  async run(invocation) {
    const { now, stopped } = invocation.surroundings;
    const port = portOf(await invocation.need('port'), PROXY_PORT);
    const { server: address = LOCAL_SERVER, ledger, system } = await findTarget(invocation);
    const server = serverUrl(address);
    const identity = await identityOf(invocation, server);
    const running = createProxy({
      server,
      identity,
      ledger,
      pinned: ledger === undefined || system === undefined ? undefined : { ledger, system },
      allowedOrigins: new Set(invocation.all('allow-origin')),
      isBound: !invocation.is('unbound'),
      now,
      log: (line) => invocation.output.raw(`${line}\n`),
    });
    await listening(running, port, '127.0.0.1');
    const at = (running.address() as AddressInfo).port;
    const does = identity.key
      ? 'It signs for'
      : `It signs nothing, and leaves that to the tokens of ${invocation.get('client-id')}, for`;
    invocation.output.raw(`Proxy server is running on port ${at}. ${does} ${server.href}.\n`);
    invocation.output.raw('Press ctrl + c to exit.\nWaiting for requests...\n');
    await stopped();
    running.closeAllConnections();
    await new Promise((resolve) => running.close(resolve));
  },
};

async function identityOf(invocation: Invocation, server: URL): Promise<CallerIdentity> {
  const id = invocation.get('client-id');
  if (id === undefined) return (await connectToServer(invocation, true)).identity;
  const secret = await invocation.need('client-secret');
  const { key } = invocation.get('signer') === undefined ? {} : (await connectToServer(invocation, true)).identity;
  return identityOfClient(server, { id, secret }, invocation.surroundings.now, key);
}
