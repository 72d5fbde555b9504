import type { CliCommand } from '../../description/command.js';
import { readContexts } from '../../home/contexts.js';
import { table } from '../../terminal/table.js';

export const contextList: CliCommand = {
  path: ['context', 'list'],
  summary: 'List the contexts',
  about: 'A context names a server, a ledger and a key. Flags and environment variables come before it.',
  async run({ home, output }) {
    const { current, contexts } = await readContexts(home);
    const list = Object.entries(contexts).map(([name, context]) => ({
      name,
      isSelected: name === current,
      ...context,
    }));
    output.result(list, () =>
      table(
        ['', 'NAME', 'SERVER', 'LEDGER', 'SIGNER'],
        list.map((one) => [one.isSelected ? '*' : '', one.name, one.server ?? '', one.ledger ?? '', one.signer ?? '']),
        output.width,
      ),
    );
  },
};
