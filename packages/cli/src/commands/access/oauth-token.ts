import { findTarget, LOCAL_SERVER, requireLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { printable } from '../../terminal/printable.js';
import { serverUrl } from '../../wire/exchange.js';
import { requestToken } from '../../wire/identity.js';

export const oauthToken: CliCommand = {
  path: ['oauth', 'token'],
  summary: 'Get an access token for client credentials',
  options: [
    {
      flags: '--client-id <id>',
      env: 'COUNTERSIGN_CLIENT_ID',
      about: 'the client id',
      ask: { kind: 'text', message: 'Client id' },
    },
    {
      flags: '--client-secret <secret>',
      env: 'COUNTERSIGN_CLIENT_SECRET',
      about: 'the secret; other users can see flags, so prefer the variable',
      ask: { kind: 'password', message: 'Client secret' },
    },
  ],
  connects: true,
  examples: [{ call: 'countersign oauth token', about: 'for programs: the token alone is on standard output' }],
  async run(invocation) {
    const target = await findTarget(invocation);
    const { server = LOCAL_SERVER } = target;
    const ledger = requireLedger(target);
    const id = await invocation.need('client-id');
    const secret = await invocation.need('client-secret');
    const { text, body } = await requestToken(serverUrl(server), ledger, { id, secret });
    invocation.output.result(body, () => printable(text));
  },
};
