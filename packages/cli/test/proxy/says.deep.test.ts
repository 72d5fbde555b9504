import { once } from 'node:events';
import { expect, it } from 'vitest';
import { eventually } from '../../../server/test/support/eventually.js';
import { Cli, withFolder } from '../support/cli.js';

const folder = withFolder();

it('the proxy says that it signs nothing where it has client credentials only', async () => {
  const child = new Cli(folder.path).start(['proxy', '--port', '0', '--client-id', 'teller', '--client-secret', 'x']);
  let out = '';
  child.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  await eventually(() => expect(out).toContain('Waiting for requests...'));
  expect(out).toContain('It signs nothing, and leaves that to the tokens of teller, for http');
  child.kill('SIGTERM');
  await once(child, 'close');
});
