import type { KindDescription } from '@countersign/client/description';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { operationsOf, recordArguments, requireId } from './kind.js';

export function assetCommand(kind: KindDescription): CliCommand {
  return {
    path: [kind.record, 'asset'],
    summary: 'Write a file of a report to standard output',
    arguments: [...recordArguments(kind), { name: 'asset', about: 'handle of the asset' }],
    connects: true,
    async run(invocation) {
      const id = await requireId(kind, invocation);
      const asset = await invocation.need('asset');
      const operations = await operationsOf(kind, invocation, await openLedger(invocation));
      const response: Response = await operations.asset(...id, asset);
      for await (const chunk of response.body ?? []) invocation.output.raw(chunk as Uint8Array);
    },
  };
}
