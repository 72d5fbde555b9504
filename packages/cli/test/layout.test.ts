import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withOwnServer } from '../../server/test/support/server.js';
import { Cli, withFolder } from './support/cli.js';
import { hasTerminals, Terminal } from './support/terminal.js';

const running = withOwnServer();
const folder = withFolder();
let cli: Cli;

const VALUES = [
  { record: 'symbol', values: [{ data: { handle: 'usd', factor: 100 } }] },
  {
    record: 'wallet',
    values: [
      { data: { handle: 'till', custom: { open: true } } },
      { data: { handle: 'safe', custom: { open: false } } },
    ],
  },
  { record: 'circle', values: [{ data: { handle: 'staff' } }] },
  { record: 'circle-signer', values: [{ data: { circle: 'staff', signer: 'system' } }] },
];

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
  const values = JSON.stringify(VALUES);
  const custom = '{"title":"A shop"}';
  const handle = ['policy', 'create', 'shop', '--schema', 'layout'];
  await cli.done([...handle, '--custom', custom, '--values', values]);
  await writeFile(join(folder.path, 'shop.json'), JSON.stringify({ custom: { title: 'A shop' }, values: VALUES }));
});

describe('layouts', () => {
  it('are shown, of a policy and of a file, kind by kind', async () => {
    const text = [
      'A shop',
      '',
      'symbols:',
      '  usd',
      '',
      'wallets:',
      '  till',
      '  safe',
      '',
      'circles:',
      '  staff',
      '',
      'circle signers:',
      '  staff/system',
      '',
    ].join('\n');
    expect((await cli.done(['layout', 'show', 'shop'])).out).toBe(text);
    const file = join(folder.path, 'shop.json');
    // Nobody is asked for a password, or for a server.
    const alone = new Cli(join(folder.path, 'alone'));
    expect((await alone.done(['layout', 'show', file, '--local'])).out).toBe(text);
    const wallets = await alone.done(['layout', 'show', file, '--local', '--select', 'wallet', '--verbose']);
    expect(wallets.out).toContain('  till  {"handle":"till","custom":{"open":true}}\n');
    expect(wallets.out).not.toContain('usd');
  });

  it('are compared with the ledger, and applied: what is missing is made, what differs is changed', async () => {
    await cli.done(['wallet', 'create', 'safe', '--custom', '{"open":true}', '--access', '[{"action":"read"}]']);
    const diff = await cli.done(['layout', 'diff', 'shop', '--select', 'wallet']);
    expect(diff.out).toBe(
      '+ wallet till\n    custom: {"open":true}\n    handle: "till"\n~ wallet safe\n    custom: {"open":true} -> {"open":false}\n',
    );
    const json = await cli.done(['layout', 'diff', 'shop', '--select', 'wallet', '--json']);
    expect(json.json).toEqual([
      { record: 'wallet', name: 'till', missing: true, wanted: { handle: 'till', custom: { open: true } } },
      {
        record: 'wallet',
        name: 'safe',
        missing: false,
        wanted: { custom: { open: false } },
        found: { custom: { open: true } },
      },
    ]);

    const unconfirmed = await cli.call(['layout', 'apply', 'shop']);
    expect([unconfirmed.code, unconfirmed.err]).toEqual([
      2,
      expect.stringContaining('+ wallet till\n    custom: {"open":true}\n    handle: "till"\n'),
    ]);
    expect((await cli.call(['wallet', 'show', 'till'])).code).toBe(1);

    const applied = await cli.done(['layout', 'apply', 'shop', '--yes', '--json']);
    expect(applied.json).toEqual({
      made: ['symbol/usd', 'wallet/till', 'circle/staff', 'circle-signer/staff/system'],
      changed: ['wallet/safe'],
    });
    const safe = await cli.done(['wallet', 'show', 'safe', '--json']);
    expect(safe.json.data).toMatchObject({ custom: { open: false }, access: [{ action: 'read' }] });
    expect((await cli.done(['layout', 'diff', 'shop'])).out).toBe('The ledger has all of it.\n');
    const again = await cli.done(['layout', 'apply', 'shop', '--yes', '--json']);
    expect(again.json).toEqual({ made: [], changed: [] });
  });

  it.each([
    ['a policy of another schema', ['intent:status', '--yes'], 'intent:status is not a layout policy.'],
    ['no such policy', ['none', '--yes'], 'Policy not found'],
    [
      'a kind of which no layout makes records',
      ['shop', '--select', 'ledger', '--yes'],
      "'ledger' is not a kind of record that",
    ],
  ])('are refused: %s', async (_, args, told) => {
    const { code, err } = await cli.call(['layout', 'apply', ...args]);
    expect(code).toBeGreaterThan(0);
    expect(err).toContain(told);
  });

  it.skipIf(!hasTerminals)(
    'are confirmed by a question that no title hides, and not once others have changed it',
    async () => {
      const values = [{ record: 'wallet', values: [{ data: { handle: 'desk', custom: { open: true } } }] }];
      const file = join(folder.path, 'hiding.json');
      await writeFile(file, JSON.stringify({ custom: { title: '\u001b[2Jgone' }, values }));
      const terminal = new Terminal(cli, ['layout', 'apply', file, '--local']);
      await terminal.sees('+ wallet desk');
      await terminal.sees('Apply the layout');
      expect(terminal.raw).not.toContain('\u001b[2Jgone');
      await cli.done(['wallet', 'create', 'desk', '--custom', '{"open":false}']);
      terminal.press('y');
      await terminal.sees('The wallet desk has changed since it was shown.');
      expect(await terminal.ended()).toBe(1);
    },
  );

  it.each([
    ['{"values":{}}', 'values is not an array'],
    ['{"values":[{"record":"wallet"}]}', 'a value has no record and values'],
    ['{"values":[{"record":"wallet","values":[{}]}]}', 'a wallet has no data'],
    ['{"values":[{"record":"wallet","values":[{"data":{}}]}]}', 'a wallet has no name'],
  ])('are refused: %s', async (text, told) => {
    const file = join(folder.path, 'wrong.json');
    await writeFile(file, text);
    const { code, err } = await cli.call(['layout', 'show', file, '--local']);
    expect([code, err]).toEqual([2, expect.stringContaining(`is not a layout: ${told}.`)]);
  });

  it('that want another version of what cannot be changed are refused before anything is done', async () => {
    const values = [
      { record: 'wallet', values: [{ data: { handle: 'never' } }] },
      { record: 'circle-signer', values: [{ data: { circle: 'staff', signer: 'system', custom: { chief: true } } }] },
    ];
    const file = join(folder.path, 'fixed.json');
    await writeFile(file, JSON.stringify({ values }));
    const { code, err } = await cli.call(['layout', 'apply', file, '--local', '--yes']);
    expect([code, err]).toEqual([1, expect.stringContaining('staff/system differs, and this kind cannot be changed.')]);
    expect((await cli.call(['wallet', 'show', 'never'])).code).toBe(1);
  });
});
