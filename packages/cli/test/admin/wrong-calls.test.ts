import { beforeAll, describe, expect, it } from 'vitest';
import { TEST_MASTER_KEY, withServer } from '../../../server/test/support/server.js';
import { COMMANDS } from '../../src/commands/all.js';
import { Cli, withFolder } from '../support/cli.js';

const server = withServer();
const folder = withFolder();
let cli: Cli;

beforeAll(() => {
  cli = new Cli(folder.path, {
    DATABASE_URL: server.current.database.url,
    MASTER_KEY: TEST_MASTER_KEY.toString('base64'),
  });
});

/** A value of every command that is wrong, by the argument or option that it is of, with what the rest of the call takes. */
const WRONG: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  ledgers: { order: ['--order', 'size'], owner: ['--owner', 'nobody'], limit: ['--limit', '0'], page: ['--page', 'x'] },
  ledger: { ledger: ['none'] },
  suspend: { ledger: ['none', '--reason', 'x'], reason: ['none', '--reason', 'two\nlines'] },
  resume: { ledger: ['none'] },
  quota: { ledger: ['none'], bytes: ['none', '--bytes', 'many'] },
  invite: { note: ['--note', 'two\nlines'], for: ['--for', '1y'] },
  invitations: { limit: ['--limit', '1001'], revoke: ['--revoke', 'last'] },
  intents: { ledger: ['none'], 'older-than': ['none', '--older-than', 'long'], limit: ['none', '--limit', '-1'] },
  'rotate-key': {},
  'read-only': { mode: ['maybe'], reason: ['on', '--reason', ' '] },
  cluster: { isolate: ['--isolate', ''], forget: ['--forget', '', '--yes'] },
  drain: { host: ['nowhere'] },
  doctor: { sample: ['--sample', 'all'] },
  backup: { folder: ['\0'], keep: ['/tmp/none', '--keep', '0'] },
  restore: { folder: ['/'], to: ['/', '--to', 'noon'], timeline: ['/', '--timeline', 'x'] },
};

/** Options that every command of operators takes. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  server: ['--server', 'ftp://ledger.example', '--key', 'alice'],
  key: ['--key', 'alice'],
};

/** A folder is one of this machine: what is wrong there is exit code 4. */
const OF_THE_MACHINE = ['data'];

const commands = COMMANDS.filter(({ path }) => path[0] === 'admin');

async function expectWrong(args: readonly string[]): Promise<void> {
  const { code, out, err } = await cli.call(['admin', ...args]);
  const [first, ...more] = err.split('\n').filter((line) => line !== '');
  expect([code, out, first], JSON.stringify(args)).toEqual([2, '', expect.stringMatching(/^✗ \S.*[.?]$/)]);
  // Beside the line on what is wrong, one may say what to do.
  expect(
    more.filter((line) => !line.startsWith('  Try: ')),
    JSON.stringify(args),
  ).toEqual([]);
}

describe.each(commands.map((command) => ({ ...command, name: command.path.slice(1).join(' ') })))(
  'countersign admin $name',
  ({ name, arguments: taken = [], options = [] }) => {
    const valued = options.flatMap(({ flags }) => (/ [<[]/.test(flags) ? [/--([a-z-]+)/.exec(flags)?.[1] ?? ''] : []));
    const values = [...taken.map((one) => one.name), ...valued].filter((one) => !OF_THE_MACHINE.includes(one));
    const wrong = { ...WRONG[name], ...(valued.includes('server') ? SHARED : {}) };

    it('tells each wrong value in one line, with exit code 2', async () => {
      expect(Object.keys(wrong).toSorted(), 'what it takes').toEqual(values.toSorted());
      for (const args of Object.values(wrong)) await expectWrong([name, ...args]);
    });

    it('tells what it does not know, and what is missing, likewise', async () => {
      await expectWrong([name, '--nonsense']);
      await expectWrong([name, ...taken.map(() => 'x'), 'superfluous']);
      if (taken.some(({ isOptional }) => !isOptional)) await expectWrong([name]);
    });
  },
);
