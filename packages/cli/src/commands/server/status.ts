import type { JsonObject } from '@countersign/protocol';
import { connectAnonymously, findTarget } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { KeyStore } from '../../home/key-store.js';
import { Failure } from '../../terminal/failure.js';
import { printable } from '../../terminal/printable.js';
import { informationOf } from './connect.js';

export const status: CliCommand = {
  path: ['status'],
  summary: 'Show the server, the ledger and the key in use, and whether the server is up',
  connects: true,
  examples: [
    {
      call: 'countersign status || echo down',
      about: 'the exit code is 3 when the server, or its database, is out of reach',
    },
  ],
  async run(invocation) {
    const { output, home } = invocation;
    const { name, ledger, signer, system } = await findTarget(invocation);
    const connection = await connectAnonymously(invocation);
    const keys = await new KeyStore(home).list();
    const key = keys.find((one) => one.name === signer)?.public;
    const lines: [string, string | undefined][] = [
      ['Context', name],
      ['Server', connection.server.href],
      ['Ledger', ledger],
      ['Ledger key', system],
      ['Signer', signer === undefined ? undefined : `${signer} (${key ?? 'not in the key store'})`],
    ];
    const show = (more: readonly [string, string | undefined][]) =>
      [...lines, ...more].map(([label, value]) => `${`${label}:`.padEnd(12)} ${printable(value ?? 'none')}`).join('\n');
    let information: JsonObject;
    try {
      information = await informationOf(connection);
    } catch (error) {
      if (!output.isJson) output.raw(`${show([['Status', 'out of reach']])}\n`);
      throw error;
    }
    const chosen = Object.fromEntries(
      Object.entries({ context: name, ledger, system, signer }).filter(([, value]) => value !== undefined),
    );
    output.result({ ...chosen, ...information, server: connection.server.href }, () =>
      show([
        ['Name', String(information.handle)],
        ['Interface', String(information.semver)],
        ['Status', String(information.status)],
      ]),
    );
    if (information.status !== 'UP') {
      const advice = 'see the log of the server, and that its database runs';
      throw new Failure('unreachable', 'The server does not reach its database.', { advice });
    }
  },
};
