import type { CliCommand } from '../../description/command.js';
import { readContexts, writeContext } from '../../home/contexts.js';
import { usage } from '../../terminal/failure.js';

export const contextSelect: CliCommand = {
  path: ['context', 'select'],
  summary: 'Select a context, or change its key',
  arguments: [{ name: 'name', about: 'the context', ask: { kind: 'text', message: 'Context' } }],
  options: [{ flags: '--signer <key>', about: 'the key that signs in this context' }],
  async run(invocation) {
    const name = await invocation.need('name');
    const { contexts } = await readContexts(invocation.home);
    if (contexts[name] === undefined) {
      throw usage(`There is no context '${name}'.`, '`countersign connect --context <name>` makes one');
    }
    const signer = invocation.get('signer');
    await writeContext(invocation.home, name, signer === undefined ? {} : { signer });
    invocation.output.done(`Context ${name} is selected.`);
  },
};
