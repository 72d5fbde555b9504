import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMigratedDatabase } from '../../server/test/support/database.js';
import { startServer, withServer } from '../../server/test/support/server.js';
import { Cli, withFolder } from './support/cli.js';

const running = withServer();
const folder = withFolder();

const cliIn = (name: string) => new Cli(join(folder.path, name), { COUNTERSIGN_PASSWORD: 'correct horse' });

it('init leaves no key behind where nobody may make ledgers, and says who may change that', async () => {
  const database = await createMigratedDatabase();
  const closed = await startServer({ database, serverRules: [] });
  const cli = cliIn('closed');
  const outcome = await cli.call(['init', 'acme', '--signer', 'ada', '--server', closed.url]);
  expect([outcome.code, outcome.err]).toEqual([
    1,
    expect.stringContaining(`lets nobody make a ledger with this key: ask its operator, who sets SERVER_ACCESS_RULES`),
  ]);
  expect(outcome.err).toContain('Key ada was deleted again: it owns nothing.');
  expect((await cli.done(['key', 'list', '--json'])).json).toEqual([]);
  // A key that was there before stays.
  await cli.done(['key', 'create', 'ada']);
  expect((await cli.call(['init', 'acme', '--signer', 'ada', '--server', closed.url])).code).toBe(1);
  expect((await cli.done(['key', 'list', '--json'])).json).toHaveLength(1);
  await closed.stop();
  await database.drop();
});

it('init names the next command as the user calls it', async () => {
  const handle = `next-${process.pid}-${Date.now()}`;
  const init = (name: string, env: Record<string, string>) =>
    cliIn(name).done(['init', `${handle}-${name}`, '--signer', 'ada', '--server', running.current.url], { env });
  expect((await init('npx', { npm_lifecycle_event: 'npx' })).err).toMatch(/Next: npx countersign wallet create$/m);
  expect((await init('path', {})).err).toMatch(/Next: countersign wallet create$/m);
});

it('a factor that is none is told with a few of those there are', async () => {
  const cli = cliIn('factor');
  await cli.done(['key', 'create', 'ada']);
  for (const given of ['abc', '7', '"x"']) {
    const call = ['symbol', 'create', 'usd', '--factor', given, '--signer', 'ada', '--ledger', 'l'];
    const { code, err } = await cli.call([...call, '--server', running.current.url]);
    expect([code, err]).toEqual([
      2,
      `✗ '${given}' is not a valid factor.\n  Try: give one of 1, 10, 100 and so on, to 1000000000000000\n`,
    ]);
  }
});

it('an option that is given twice is refused: nothing of it is left out in silence', async () => {
  const cli = cliIn('twice');
  const call = ['intent', 'sign', 'i', '--say', 'handle=cre_1', '--say', 'reason=gone', '--yes'];
  const { code, err } = await cli.call([...call, '--ledger', 'l', '--server', running.current.url]);
  expect([code, err]).toEqual([
    2,
    '✗ --say is given twice.\n  Try: it takes one value: see `countersign intent sign --help`\n',
  ]);
  // Those that take several may be given again, and what is said twice without a value says no more.
  const labels = ['--add-label', 'a', '--add-label', 'b', '--yes', '--yes'];
  const several = await cli.call(['intent', 'sign', 'i', ...labels, '--server', running.current.url, '--ledger', 'l']);
  expect(several.err).not.toContain('twice');
});

it.each([
  [['--status', 'committed', '--say', 'status=aborted'], 'The status is given by --status and by --say.'],
  [['--add-label', 'a', '--say', 'labels=b'], 'Labels are given by an option of their own and by --say.'],
])('what two options say is refused: %j', async (options, why) => {
  const call = ['intent', 'sign', 'i', ...options, '--yes', '--ledger', 'l', '--server', running.current.url];
  const { code, err } = await cliIn('twice').call(call);
  expect([code, err.split('\n')[0]]).toEqual([2, `✗ ${why}`]);
});

it('a secret that is given two values is refused', async () => {
  const cli = cliIn('two-values');
  const handle = `two-values-${process.pid}-${Date.now()}`;
  await cli.done(['init', handle, '--signer', 'ada', '--server', running.current.url]);
  const values = ['--secret-value', 'a=1', '--secret-value', 'a=2'];
  const { code, err } = await cli.call(['bridge', 'create', 'b', '--config', '{}', '--secure', '[]', ...values]);
  expect([code, err.split('\n')[0]]).toEqual([2, '✗ --secret-value gives a twice.']);
});

it('a wrong password is told with the key that it does not open', async () => {
  const cli = cliIn('password');
  await cli.done(['key', 'create', 'ada']);
  const call = ['wallet', 'show', 'w', '--signer', 'ada', '--ledger', 'l', '--server', running.current.url];
  const { code, err } = await cli.call(call, { env: { COUNTERSIGN_PASSWORD: 'wrong' } });
  expect([code, err.split('\n')[0]]).toEqual([4, '✗ The password does not open the key ada.']);
});

it('what was not found is named, by the path that was asked for', async () => {
  const cli = cliIn('missing');
  const handle = `missing-${process.pid}-${Date.now()}`;
  await cli.done(['init', handle, '--signer', 'ada', '--server', running.current.url]);
  const { code, err } = await cli.call(['wallet', 'show', 'nope']);
  expect([code, err.split('\n')[0]]).toEqual([1, '✗ Wallet not found: /wallets/nope']);
  const member = await cli.call(['wallet', 'history', '$wlt.-3DaeZa0HiH8CpyPc']);
  expect(member.err.split('\n')[0]).toBe('✗ Wallet not found: /wallets/$wlt.-3DaeZa0HiH8CpyPc/changes');
});
