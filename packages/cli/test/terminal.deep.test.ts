import { beforeAll, describe, expect, it } from 'vitest';
import { withOwnServer } from '../../server/test/support/server.js';
import { Cli, withFolder } from './support/cli.js';
import { hasTerminals, Terminal } from './support/terminal.js';

const running = withOwnServer();
const folder = withFolder();
let cli: Cli;

beforeAll(() => {
  cli = new Cli(folder.path);
});

// Where there is no `script` of util-linux, a terminal cannot be had without native code.
describe.skipIf(!hasTerminals)('at a terminal', () => {
  it('asks for what init needs, and never shows a password', async () => {
    const terminal = new Terminal(cli, ['init', '--server', running.current.url]);
    await terminal.sees('Handle of the ledger');
    terminal.enter('acme');
    await terminal.sees('Name of your key');
    terminal.enter('');
    await terminal.sees('Choose a password for the key');
    terminal.enter('open sesame');
    await terminal.sees('Repeat the password');
    terminal.enter('open sesamo');
    await terminal.sees('The passwords differ.');
    terminal.press('\x7f');
    terminal.enter('e');
    await terminal.sees('✓ Key owner made.');
    await terminal.sees('✓ Ledger acme made on server test, owned by owner.');
    await terminal.sees('export COUNTERSIGN_LEDGER=acme');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).not.toContain('sesam');
  });

  it('asks for what a record needs, and for the password of the key', async () => {
    const terminal = new Terminal(cli, ['symbol', 'create']);
    await terminal.sees('Handle of the symbol');
    terminal.enter('usd');
    await terminal.sees('factor');
    // Two down from 1: the choices are 1, 10, 100 and so on.
    terminal.press('\x1b[B');
    terminal.press('\x1b[B');
    terminal.enter('');
    await terminal.sees('Password of the key owner');
    // A slip of the keys: the answers above stay.
    terminal.enter('open sesam');
    await terminal.sees('The password does not open the key owner.');
    terminal.enter('open sesame');
    await terminal.sees('✓ Symbol usd created.');
    await terminal.sees('factor:');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toMatch(/factor: +100\r?\n/);
  });

  it('asks for an intent, step by step', async () => {
    const password = { COUNTERSIGN_PASSWORD: 'open sesame' };
    await cli.with(password).done(['wallet', 'create', 'shop']);
    const terminal = new Terminal(cli.with(password), ['intent', 'create', '--wait']);
    await terminal.sees('Handle of the intent');
    terminal.enter('i-1');
    await terminal.sees('Action');
    terminal.press('\x1b[B');
    terminal.enter('');
    await terminal.sees('Target');
    terminal.enter('shop');
    await terminal.sees('Symbol');
    terminal.enter('usd');
    await terminal.sees('Amount');
    // What the symbol cannot have is told at once: the other answers stay.
    terminal.enter('12.505');
    await terminal.sees('12.505 is finer than the symbol');
    terminal.press('\x7f');
    terminal.enter('');
    await terminal.sees('✓ Intent i-1 completed.');
    expect(await terminal.ended()).toBe(0);
    const balances = await cli.with(password).done(['wallet', 'balances', 'shop', '--json']);
    expect(balances.json[0]).toMatchObject({ amount: '12.50', integer: 1250 });
  });

  it('asks before it drops, and takes no for an answer', async () => {
    const owner = cli.with({ COUNTERSIGN_PASSWORD: 'open sesame' });
    await owner.done(['wallet', 'create', 'kept']);
    const refused = new Terminal(owner, ['wallet', 'drop', 'kept']);
    await refused.sees('Drop the wallet kept?');
    refused.enter('');
    await refused.sees('Stopped: it was not confirmed.');
    expect(await refused.ended()).toBe(130);
    const agreed = new Terminal(owner, ['wallet', 'drop', 'kept']);
    await agreed.sees('Drop the wallet kept?');
    agreed.press('y');
    await agreed.sees('✓ Wallet kept dropped.');
    expect(await agreed.ended()).toBe(0);
  });

  it('ends when the user presses Ctrl-C at a question', async () => {
    const terminal = new Terminal(cli, ['key', 'create']);
    await terminal.sees('Name of the key');
    terminal.press('\x03');
    await terminal.sees('Stopped.');
    expect(await terminal.ended()).toBe(130);
  });

  it('asks for a wrong password again, until the user gives up', async () => {
    const terminal = new Terminal(cli, ['wallet', 'show', 'shop']);
    await terminal.sees('Password of the key owner');
    terminal.enter('wrong');
    await terminal.sees('The password does not open the key owner.');
    terminal.press('\x03');
    await terminal.sees('Stopped.');
    expect(await terminal.ended()).toBe(130);
  });

  it('shows colours, unless NO_COLOR is set', async () => {
    const coloured = new Terminal(cli, ['key', 'export', 'none']);
    expect(await coloured.ended()).toBe(4);
    expect(coloured.raw).toContain('\x1b[31m✗');
    const plain = new Terminal(cli.with({ NO_COLOR: '1' }), ['key', 'export', 'none']);
    expect(await plain.ended()).toBe(4);
    expect(plain.raw).not.toContain('\x1b[3');
    expect(plain.text).toContain("✗ There is no key 'none'.");
  });
});
