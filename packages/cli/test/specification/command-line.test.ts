import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withOwnServer } from '../../../server/test/support/server.js';
import { COMMANDS } from '../../src/commands/all.js';
import { optionsOf, takesValue } from '../../src/description/definition.js';
import { Cli, withFolder } from '../support/cli.js';

const running = withOwnServer();
const folder = withFolder();
let cli: Cli;

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
});

/** The commands that users of the interface know, and what they are called here. */
const KNOWN: readonly (readonly [known: string, here: string, ...options: string[]])[] = [
  ['server connect', 'connect'],
  ['server proxy --port', 'proxy', '--port'],
  ['ledger create', 'ledger create', '--access', '--config', '--custom'],
  ['ledger select', 'ledger select'],
  ['ledger show', 'ledger show'],
  ['signer create: a key pair of this machine', 'key create'],
  ['signer create -i', 'key import'],
  ['signer create: stored to the ledger', 'signer register'],
  ['signer list', 'key list'],
  ['signer list --remote', 'signer list'],
  ['signer show', 'signer show'],
  ['signer show --secret', 'key export', '--secret'],
  ['symbol create', 'symbol create', '--factor', '--custom'],
  ['symbol list', 'symbol list'],
  ['symbol show', 'symbol show'],
  ['wallet create', 'wallet create', '--bridge', '--custom', '--routes'],
  ['wallet list', 'wallet list'],
  ['wallet show', 'wallet show'],
  ['wallet balances', 'wallet balances'],
  ['intent create', 'intent create', '--action', '--source', '--target', '--symbol', '--amount', '--claim', '--custom'],
  ['intent show', 'intent show'],
  ['intent list --filter', 'intent list', '--filter'],
  ['bridge create', 'bridge create', '--schema', '--config', '--traits', '--secure', '--custom'],
  ['bridge show', 'bridge show'],
  ['bridge events list', 'bridge events list'],
  ['bridge events show', 'bridge events show'],
  ['bridge events retry', 'bridge events retry'],
  ['effect create', 'effect create', '--signal', '--filter', '--action'],
  ['schema list', 'schema list'],
  ['report create', 'report create'],
  ['report list', 'report list'],
  ['report show', 'report show'],
  ['report sign', 'report sign'],
  ['report changes', 'report history'],
  ['report drop', 'report drop'],
  ['layout show --verbose', 'layout show', '--verbose'],
  ['layout diff --select', 'layout diff', '--select'],
  ['layout apply --local', 'layout apply', '--local'],
];

describe('the command line that users of the interface know', () => {
  it.each(KNOWN)('%s: countersign %s', async (_, here, ...options) => {
    const { out } = await cli.done([...here.split(' '), '--help']);
    for (const option of options) expect(out).toMatch(new RegExp(`^ +(-\\w, )?${option} `, 'm'));
  });

  it('every prompt is a flag or a position, too', () => {
    for (const command of COMMANDS) {
      for (const option of optionsOf(command).filter(({ ask }) => ask !== undefined)) {
        expect(takesValue(option) || option.flags === '--password-stdin', command.path.join(' ')).toBe(true);
      }
    }
  });

  it('no command waits for an answer where there is no terminal', async () => {
    // Beside the commands that serve or follow: each lacks what it needs, or is done.
    const endless = ['proxy', 'serve', 'watch', 'witness', 'receive', 'init', 'curl'];
    const asking = COMMANDS.filter(({ path, arguments: positions = [] }) => {
      return !endless.includes(path[0] ?? '') && positions.some(({ ask }) => ask !== undefined);
    });
    expect(asking.length).toBeGreaterThan(100);
    for (const { path } of asking) {
      const { code, err } = await cli.call([...path]);
      expect([path.join(' '), code, err]).toEqual([
        path.join(' '),
        2,
        expect.stringMatching(/^✗ (.* is missing\.|Missing required argument '.*'\.)\n {2}Try: /),
      ]);
    }
  });

  it('--filter takes an object of paths with operators, such as $in', async () => {
    await cli.done(['symbol', 'create', 'usd', '--factor', '100']);
    await cli.done(['wallet', 'create', 'till']);
    for (const [handle, amount] of Object.entries({ one: '1', two: '2' })) {
      await cli.done(['intent', 'create', handle, '--claim', `issue ${amount} usd to till`, '--wait']);
    }
    await cli.call(['intent', 'create', 'three', '--claim', 'destroy 9 usd from till', '--wait']);
    const list = async (filter: object) => {
      const { json } = await cli.done(['intent', 'list', '--filter', JSON.stringify(filter), '--json']);
      return json.map(({ data }: { data: { handle: string } }) => data.handle).sort();
    };
    expect(await list({ 'meta.status.$in': ['completed'], 'data.handle': 'one' })).toEqual(['one']);
    expect(await list({ 'meta.status.$in': ['completed', 'rejected'] })).toEqual(['one', 'three', 'two']);
    expect(await list({ 'meta.status': { $in: ['rejected'] } })).toEqual(['three']);
    expect(await list({ 'data.handle.$in': ['one', 'two'], 'meta.status.$ne': 'rejected' })).toEqual(['one', 'two']);
  });

  it('amounts are in whole units, multiplied by the factor of the symbol', async () => {
    await cli.done(['symbol', 'create', 'eur', '--factor', '100']);
    await cli.done(['wallet', 'create', 'purse']);
    const { json } = await cli.done(['intent', 'create', 'hundred', '--claim', 'issue 100 eur to purse', '--json']);
    expect(json.data.claims[0].amount).toBe(10_000);
  });

  it('a created ledger, and what it keeps here, are found again under ~/.countersign', async () => {
    const home = join(folder.path, 'person');
    await mkdir(home);
    const env = { HOME: home, COUNTERSIGN_HOME: '', COUNTERSIGN_SERVER: running.current.url };
    const { code, out } = await cli.spawn(['init', 'homely', '--signer', 'owner'], { env });
    expect([code, out]).toEqual([0, expect.stringContaining('export COUNTERSIGN_LEDGER=homely\n')]);
    expect((await readdir(join(home, '.countersign'))).sort()).toEqual(['contexts.json', 'keys']);
    for (const path of ['.countersign', '.countersign/keys']) {
      expect((await stat(join(home, path))).mode & 0o777).toBe(0o700);
    }
    expect((await stat(join(home, '.countersign/keys/owner.pem'))).mode & 0o777).toBe(0o600);
  });
});
