import type { Json } from '@countersign/protocol';
import type { CliCommand } from '../../description/command.js';
import { pluralOf } from '../../description/groups.js';
import { printable } from '../../terminal/printable.js';
import { nounOf } from '../records/kind.js';
import { LAYOUT, type LayoutTemplate, layoutOf } from './templates.js';

export const layoutShow: CliCommand = {
  path: ['layout', 'show'],
  summary: 'Show the records that a layout wants',
  about:
    'A layout is a policy, or a file of the same form, with templates of records. The ledger keeps it, and applies none.',
  arguments: LAYOUT.arguments,
  options: [...LAYOUT.options, { flags: '--verbose', about: 'with the data of each record' }],
  connects: LAYOUT.connects,
  examples: [{ call: 'countersign layout show shop', about: 'the layout policy shop' }],
  async run(invocation) {
    const { title, templates } = await layoutOf(invocation);
    const told = templates.map(({ kind, data }) => ({ record: kind.record, data }));
    invocation.output.result({ title, records: told } as unknown as Json, () => {
      return [printable(title), ...sectionsOf(templates, invocation.is('verbose'))].join('\n');
    });
  },
};

/** A heading for each kind, in the order of the layout, with its records below. */
function sectionsOf(templates: readonly LayoutTemplate[], isVerbose: boolean): string[] {
  const kinds = [...new Set(templates.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const own = templates.filter((one) => one.kind === kind);
    const lines = own.map(({ name, data }) => printable(`  ${name}${isVerbose ? `  ${JSON.stringify(data)}` : ''}`));
    return ['', `${pluralOf(nounOf(kind))}:`, ...lines];
  });
}
