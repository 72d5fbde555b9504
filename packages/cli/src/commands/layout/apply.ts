import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import { Failure } from '../../terminal/failure.js';
import { nounOf } from '../records/kind.js';
import { differenceText } from './diff.js';
import { differenceOf, findDifferences, type LayoutDifference } from './difference.js';
import { LAYOUT, layoutOf } from './templates.js';

export const layoutApply: CliCommand = {
  path: ['layout', 'apply'],
  summary: 'Make the records of a layout, and change those that differ',
  about:
    'In the order of the layout, one by one. Members that a template leaves out stay as they are; a record that is not in ' +
    'the layout is left alone. Shows what will be done, and asks for confirmation. What was done before a refusal stays, and is ' +
    'skipped when the command is repeated.',
  ...LAYOUT,
  examples: [{ call: 'countersign layout apply shop.json --local --yes', about: 'of a file, without asking' }],
  async run(invocation) {
    const { output } = invocation;
    const open = await openLedger(invocation, true);
    const { title, templates } = await layoutOf(invocation, open);
    const planned = await findDifferences(templates, open);
    const fixed = planned.find(
      ({ record, template: { kind } }) => record && !kind.operations.some(({ name }) => name === 'update'),
    );
    if (fixed !== undefined) throw unchangeable(fixed);
    for (const line of planned.flatMap((one) => differenceText(one).split('\n'))) output.note(line);
    if (planned.length > 0) await invocation.confirm(`Apply the layout ${title}?`);
    const done = { made: [] as string[], changed: [] as string[] };
    const own = new Set<string>();
    for (const { template, record } of planned) {
      const named = `${template.kind.record}/${template.data[template.kind.parent ?? '']}/${template.name}`;
      const now = await differenceOf(template, open);
      if (now === undefined) continue;
      // Two templates of one record: the first has changed it. What somebody else has changed was not shown.
      if (now.record?.hash !== record?.hash && !own.has(named)) throw editConflict(now);
      await applyTemplate(now);
      own.add(named);
      (now.record === undefined ? done.made : done.changed).push(`${template.kind.record}/${template.name}`);
    }
    output.done(`Layout ${title}: ${done.made.length} made, ${done.changed.length} changed.`);
    output.result(done as unknown as Json, () => [...done.made, ...done.changed].join('\n'));
  },
};

async function applyTemplate({ template: { data }, operations, record }: LayoutDifference): Promise<void> {
  if (record === undefined) {
    await operations.create(data);
    return;
  }
  const { parent: _, ...before } = record.data;
  await operations.update(record, { ...before, ...data });
}

function editConflict({ template: { kind, name } }: LayoutDifference): Failure {
  return new Failure('refused', `The ${nounOf(kind)} ${name} has changed since it was shown.`, {
    advice: 'repeat the command: what was done is skipped',
  });
}

function unchangeable({ template: { kind, name } }: LayoutDifference): Failure {
  return new Failure('refused', `The ${nounOf(kind)} ${name} differs, and this kind cannot be changed.`, {
    advice: 'drop it first, or leave it out with --select',
  });
}
