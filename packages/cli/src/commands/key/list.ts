import type { CliCommand } from '../../description/command.js';
import { KeyStore } from '../../home/key-store.js';
import { table } from '../../terminal/table.js';

export const keyList: CliCommand = {
  path: ['key', 'list'],
  summary: 'List the keys of the key store',
  examples: [{ call: 'countersign key list --json', about: 'names and public keys, for programs' }],
  async run({ home, output }) {
    const keys = await new KeyStore(home).list();
    output.result(
      keys.map((key) => ({ ...key })),
      () =>
        table(
          ['NAME', 'PUBLIC KEY'],
          keys.map(({ name, public: key }) => [name, key]),
          output.width,
        ),
    );
  },
};
