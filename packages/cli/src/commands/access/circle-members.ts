import type { Json } from '@countersign/protocol';
import { openLedger } from '../../connect.js';
import type { CliCommand } from '../../description/command.js';
import type { Argument } from '../../description/definition.js';

const MEMBER_ARGUMENTS: readonly Argument[] = [
  { name: 'circle', about: 'handle of the circle', ask: { kind: 'text', message: 'Handle of the circle' } },
  { name: 'member', about: 'handle of the signer', ask: { kind: 'text', message: 'Handle of the signer' } },
];

export const circleAdd: CliCommand = {
  path: ['circle', 'add'],
  summary: 'Make a signer a member of a circle',
  arguments: MEMBER_ARGUMENTS,
  connects: true,
  async run(invocation) {
    const [circle, member] = [await invocation.need('circle'), await invocation.need('member')];
    const { ledger } = await openLedger(invocation, true);
    const made = await ledger.circles.addSigner(circle, member);
    invocation.output.done(`${member} is a member of ${circle}.`);
    invocation.output.result(made as unknown as Json, () => `Luid: ${made.luid}`);
  },
};

export const circleRemove: CliCommand = {
  path: ['circle', 'remove'],
  summary: 'End the membership of a signer in a circle',
  about: 'It counts from the next request on.',
  arguments: MEMBER_ARGUMENTS,
  connects: true,
  async run(invocation) {
    const [circle, member] = [await invocation.need('circle'), await invocation.need('member')];
    await invocation.confirm(`Remove ${member} from ${circle}?`);
    const { ledger } = await openLedger(invocation, true);
    await ledger.circles.removeSigner(circle, member);
    invocation.output.done(`${member} is no longer a member of ${circle}.`);
    invocation.output.result({ circle, removed: member }, () => member);
  },
};
