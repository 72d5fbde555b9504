import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { printable } from '../../terminal/printable.js';
import { nounOf } from '../records/kind.js';
import { findDifferences, type LayoutDifference } from './difference.js';
import { LAYOUT, layoutOf } from './templates.js';

export const layoutDiff: CliCommand = {
  path: ['layout', 'diff'],
  summary: 'Show which records of a layout a ledger lacks',
  about: 'Members that a template leaves out may have any value.',
  ...LAYOUT,
  examples: [{ call: 'countersign layout diff shop.json --local --select policy', about: 'of a file, policies only' }],
  async run(invocation) {
    const open = await openLedger(invocation);
    const { templates } = await layoutOf(invocation, open);
    const differences = await findDifferences(templates, open);
    invocation.output.result(differences.map(toldOf) as unknown as Json, () => {
      return differences.length === 0 ? 'The ledger has all of it.' : differences.map(differenceText).join('\n');
    });
  },
};

function toldOf({ template: { kind, name, data }, record, members }: LayoutDifference) {
  const wanted = Object.fromEntries(members.map((member) => [member, data[member]]));
  const found = record && Object.fromEntries(members.map((member) => [member, record.data[member] ?? null]));
  return {
    record: kind.record,
    name,
    missing: record === undefined,
    wanted,
    found,
  };
}

/** `+` for what is missing, `~` for what is otherwise. */
export function differenceText({ template: { kind, name, data }, record, members }: LayoutDifference): string {
  const lines = members.map((member) => {
    const before = record === undefined ? '' : `${JSON.stringify(record.data[member]) ?? 'nothing'} -> `;
    return `    ${member}: ${before}${JSON.stringify(data[member])}`;
  });
  return [`${record === undefined ? '+' : '~'} ${nounOf(kind)} ${name}`, ...lines].map(printable).join('\n');
}
