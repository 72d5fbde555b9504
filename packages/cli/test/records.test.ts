import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DESCRIPTION } from '@countersign/client/description';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/test/support/eventually.js';
import { withOwnServer } from '../../server/test/support/server.js';
import { COMMANDS } from '../src/commands/all.js';
import { BY_OPERATION } from '../src/commands/records/all.js';
import { optionName, optionsOf } from '../src/description/definition.js';
import { Cli, withFolder } from './support/cli.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
const folder = withFolder();
let cli: Cli;

beforeAll(async () => {
  cli = new Cli(folder.path, { COUNTERSIGN_PASSWORD: 'correct horse' });
  await cli.done(['init', 'acme', '--signer', 'owner', '--server', running.current.url]);
});

describe('the commands of every kind', () => {
  it('has one for each operation that the interface describes', () => {
    // A version is one of the history, balances and limits have commands of their own.
    const elsewhere = ['change', 'balances', 'limits'];
    for (const { record, operations } of DESCRIPTION) {
      for (const { name } of operations.filter((one) => !elsewhere.includes(one.name))) {
        expect(BY_OPERATION[name], `${record} ${name}`).toBeDefined();
      }
    }
  });

  it('calls no position like an option, and each command in its own way', () => {
    for (const command of COMMANDS) {
      const options = optionsOf(command).map(optionName);
      expect(new Set(options).size, command.path.join(' ')).toBe(options.length);
      for (const { name } of command.arguments ?? []) expect(options, command.path.join(' ')).not.toContain(name);
    }
    expect(new Set(COMMANDS.map(({ path }) => path.join(' '))).size).toBe(COMMANDS.length);
  });

  it('creates, shows, changes, signs, lists and drops a record', async () => {
    const made = await cli.done([
      'wallet',
      'create',
      'shop',
      '--custom',
      '{"tier":"silver"}',
      '--add-label',
      'vip',
      '--json',
    ]);
    expect(made.json.data).toEqual({ handle: 'shop', custom: { tier: 'silver' } });
    expect(made.json.meta.labels).toEqual(['vip']);
    const shown = await cli.done(['wallet', 'show', 'shop']);
    expect(shown.out).toMatch(/^Wallet summary:\n-+\nluid: +\$wlt\./);
    expect(shown.out).toMatch(/^custom: +\{"tier":"silver"\}$/m);
    // What only makes signatures differ says nothing to people.
    expect(made.json.meta.proofs[0].custom.nonce).toEqual(expect.any(String));
    expect(shown.out).not.toContain('nonce');

    const access = [{ action: 'read' }];
    const changed = await cli.done(['wallet', 'update', 'shop', '--access', JSON.stringify(access), '--json']);
    expect(changed.json.data).toEqual({ handle: 'shop', custom: { tier: 'silver' }, access, parent: made.json.hash });
    const unset = await cli.done(['wallet', 'update', 'shop', '--custom', '{}', '--unset', 'access', '--json']);
    expect(unset.json.data).toEqual({ handle: 'shop', custom: {}, parent: changed.json.hash });
    const replaced = await cli.done(['wallet', 'update', 'shop', '--replace', '--access', '[]', '--json']);
    expect(replaced.json.data).toEqual({ handle: 'shop', access: [], parent: unset.json.hash });

    const signed = await cli.done([
      'wallet',
      'sign',
      'shop',
      '--status',
      'active',
      '--say',
      '{"note":"seen"}',
      '--json',
    ]);
    expect(signed.json.meta.status).toBe('active');
    expect(signed.json.meta.proofs.at(-1).custom).toMatchObject({ note: 'seen', ledger: 'acme', record: 'wallet' });
    const said = await cli.done(['wallet', 'sign', 'shop', '--say', 'note=seen = heard', '--json']);
    expect(said.json.meta.proofs.at(-1).custom).toMatchObject({ note: 'seen = heard' });
    const unsaid = await cli.call(['wallet', 'sign', 'shop', '--say', 'seen']);
    expect([unsaid.code, unsaid.err.split('\n')[0]]).toEqual([2, '✗ --say is neither name=text nor a JSON object.']);
    const history = await cli.done(['wallet', 'history', 'shop', '--json']);
    expect(history.json.map((one: { meta: { change: number } }) => one.meta.change)).toEqual([6, 5, 4, 3, 2, 1]);
    const first = await cli.done(['wallet', 'history', 'shop', '--change', '1', '--json']);
    expect(first.json.hash).toBe(made.json.hash);

    const unconfirmed = await cli.call(['wallet', 'drop', 'shop']);
    expect([unconfirmed.code, unconfirmed.err]).toEqual([2, '✗ This needs confirmation.\n  Try: add --yes\n']);
    const dropped = await cli.done(['wallet', 'drop', 'shop', '--yes', '--reason', 'closed', '--json']);
    expect(dropped.json).toEqual({ dropped: made.json.luid });
    expect((await cli.call(['wallet', 'show', 'shop'])).code).toBe(1);
    const last = await cli.done(['wallet', 'history', made.json.luid, '--limit', '1', '--json']);
    expect(last.json[0].meta).toMatchObject({ action: 'drop', status: 'dropped' });
  });

  it('proves that versions are in the log, and that it grew', async () => {
    const { json: made } = await cli.done(['circle', 'create', 'proven', '--json']);
    const call = ['circle', 'inclusion', 'proven'];
    // Once it is sealed.
    const { json: said } = await eventually(() => cli.done([...call, '--json']));
    expect(Object.keys(said).sort()).toEqual(['commitment', 'index', 'origin', 'proof', 'salt', 'size']);
    const { json: log } = await cli.done(['ledger', 'log', '--json']);
    expect(log).toMatchObject({ origin: said.origin, stopped: null });
    expect((await cli.done(['ledger', 'log'])).out).toContain(`origin:     ${said.origin}\n`);

    const at = (name: string) => join(folder.path, name);
    await writeFile(at('proven'), JSON.stringify(made));
    await writeFile(at('proven.proof'), (await cli.done(call)).out);
    const [vkey] = (await (await fetch(`http://${said.origin}/vkeys`)).text()).split('\n');
    const verify = ['verify', at('proven'), '--proof', at('proven.proof'), '--vkey', vkey!];
    expect((await cli.done([...verify, '--json'])).json).toMatchObject({
      ok: true,
      luid: made.luid,
      index: said.index,
    });

    const { json: grown } = await cli.done(['ledger', 'consistency', '2', `${said.size}`, '--json']);
    expect(grown).toMatchObject({ from: 2, to: said.size, hashes: expect.arrayContaining([expect.any(String)]) });
    expect((await cli.done(['ledger', 'consistency', '2', `${said.size}`])).out).toContain(grown.hashes[0]);
    const wrong = await cli.call([...call, '--change', '0']);
    expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([2, "✗ '0' is not the number of a version."]);
    expect((await cli.call([...call, '--change', '2'])).err).toContain('Change not found');
  });

  it('filters and pages lists', async () => {
    for (const tier of ['gold', 'gold', 'silver']) {
      const custom = JSON.stringify({ tier });
      await cli.done([
        'symbol',
        'create',
        `s-${Math.random().toString(36).slice(2)}`,
        '--factor',
        '100',
        '--custom',
        custom,
      ]);
    }
    const count = async (...filter: string[]) => (await cli.done(['symbol', 'list', '--json', ...filter])).json.length;
    expect(await count()).toBe(3);
    expect(await count('--filter', 'data.custom.tier=gold')).toBe(2);
    expect(await count('--filter', 'data.custom.tier.$in=gold,silver', 'meta.status=created')).toBe(3);
    expect(await count('--filter', '{"data.custom.tier.$nin":["gold"]}')).toBe(1);
    expect(await count('--limit', '1')).toBe(1);
    const cut = await cli.done(['symbol', 'list', '--limit', '2']);
    expect(cut.out.trim().split('\n')).toHaveLength(3);
    expect(cut.err).toBe('There are more than 2: --all or --limit shows them.\n');
    expect(await count('--filter', 'data[handle].$ne=x', 'meta.labels.0.$ne=y')).toBe(3);
    // The server would ignore what is like no member.
    for (const path of ['tier', 'data.access', 'data.customs.tier', 'meta.state']) {
      const wrong = await cli.call(['symbol', 'list', '--filter', `${path}=x`]);
      expect([wrong.code, wrong.err]).toEqual([
        2,
        `✗ The list cannot be filtered by '${path}'.\n  Try: use data.handle, data.schema, meta.status, meta.labels, ` +
          'meta.domain, meta.moment, data.custom.*\n',
      ]);
    }
    const below = await cli.call(['symbol', 'list', '--filter', 'data.handle.$like=x']);
    expect([below.code, below.err]).toEqual([1, expect.stringContaining("Unsupported filters: 'data.handle.$like")]);
    expect((await cli.call(['anchor', 'list', '--filter', 'data.target.custom.x=1'])).code).toBe(0);
    for (const [args, known] of [
      [['symbol', 'history', 'x'], 'meta.action, meta.change, meta.moment'],
      [['effect', 'events', 'list', 'x'], 'meta.status, data.linked, data.record'],
      [['ledger', 'list'], 'data.handle,'],
      [['watch', 'wallet'], 'data.bridge'],
    ] as const) {
      const { code, err } = await cli.call([...args, '--filter', 'handle=x']);
      expect([code, err], args.join(' ')).toEqual([2, expect.stringContaining(known)]);
    }
  });

  it('takes members from files and standard input', async () => {
    const file = join(folder.path, 'schema.json');
    await writeFile(file, '{"type": "object"}');
    const schema = await cli.done(['schema', 'create', 'any', '--record', 'report', '--schema', `@${file}`, '--json']);
    expect(schema.json.data).toEqual({
      handle: 'any',
      record: 'report',
      format: 'json-schema',
      schema: { type: 'object' },
    });
    const data = JSON.stringify({ handle: 'r-1', schema: 'any', custom: { day: 1 } });
    const report = await cli.done(['report', 'create', '--data', '@-', '--json'], { input: data });
    expect(report.json.data).toEqual(JSON.parse(data));
    expect((await cli.done(['report', 'sign', 'r-1', '--status', 'pending', '--json'])).json.meta.status).toBe(
      'pending',
    );
  });

  it('works on records that lie below others, and on members of circles', async () => {
    const { out } = await cli.done(['key', 'create', 'ben']);
    await cli.done(['signer', 'create', 'ben', '--public', out.trim()]);
    const factor = await cli.done(['signer-factor', 'create', 'ben', 'ben-otp', '--schema', 'otp', '--json']);
    expect(factor.json.data).toEqual({ handle: 'ben-otp', signer: 'ben', schema: 'otp' });
    expect((await cli.done(['signer-factor', 'show', 'ben', 'ben-otp', '--json'])).json.luid).toBe(factor.json.luid);
    await cli.done(['circle', 'create', 'tellers']);
    await cli.done(['circle', 'add', 'tellers', 'ben']);
    const members = await cli.done(['circle-signer', 'list', 'tellers', '--json']);
    expect(members.json.map((one: { data: { signer: string } }) => one.data.signer)).toEqual(['ben']);
    await cli.done(['circle', 'remove', 'tellers', 'ben', '--yes']);
    expect((await cli.done(['circle-signer', 'list', 'tellers', '--json'])).json).toEqual([]);
  });

  it('shows and changes the record of the ledger', async () => {
    expect((await cli.done(['ledger', 'show', '--json'])).json.data.handle).toBe('acme');
    expect((await cli.done(['ledger', 'list', '--json'])).json).toHaveLength(1);
    const changed = await cli.done(['ledger', 'update', '--custom', '{"note":1}', '--json']);
    expect(changed.json.data).toMatchObject({ custom: { note: 1 }, access: expect.any(Array) });
    expect((await cli.done(['ledger', 'history', '--json'])).json).toHaveLength(3);
    const rules = await cli.done(['ledger', 'check', 'update', '--json']);
    expect(rules.json).toContainEqual({ action: 'any', record: 'any' });
  });

  it('sends deliveries of events again', async () => {
    const action = JSON.stringify({ schema: 'webhook', endpoint: 'http://127.0.0.1:1/' });
    await cli.done(['effect', 'create', 'told', '--signal', 'wallet-created', '--action', action]);
    await cli.done(['wallet', 'create', 'told-of']);
    const list = await cli.done(['effect', 'events', 'list', 'told', '--json']);
    const { handle } = list.json[0].data;
    expect((await cli.done(['effect', 'events', 'show', 'told', handle, '--json'])).json.data.linked).toBe('told-of');
    await cli.done(['effect', 'events', 'retry', 'told', handle, '--yes']);
    await cli.done(['effect', 'events', 'retry', 'told', '--max-age', '0', '--yes']);
  });
});

describe('money', () => {
  beforeAll(async () => {
    await cli.done(['symbol', 'create', 'usd', '--factor', '100']);
    for (const wallet of ['till', 'desk']) await cli.done(['wallet', 'create', wallet]);
  });

  it('moves amounts in whole units, exactly', async () => {
    const issued = await cli.done([
      'intent',
      'create',
      'i-1',
      '--claim',
      'issue 100.10 usd to till',
      '--wait',
      '--json',
    ]);
    expect(issued.json.data.claims).toEqual([
      { action: 'issue', target: { handle: 'till' }, symbol: { handle: 'usd' }, amount: 10010 },
    ]);
    expect(issued.json.meta.status).toBe('completed');
    const flags = [
      '--action',
      'transfer',
      '--source',
      'till',
      '--target',
      'desk',
      '--symbol',
      'usd',
      '--amount',
      '0.29',
    ];
    await cli.done(['intent', 'create', 'i-2', ...flags, '--wait']);
    const shown = (await cli.done(['intent', 'show', 'i-2'])).out;
    expect(shown).toMatch(/^claim: +transfer 0\.29 usd from till to desk$/m);
    expect(shown).not.toMatch(/^claims/m);
    const balances = await cli.done(['wallet', 'balances', 'till']);
    expect(balances.out).toBe('SYMBOL  BALANCE    AMOUNT\nusd     available  99.81\nusd     reserved   0.00\n');
    expect((await cli.done(['wallet', 'balances', 'desk', '--json'])).json[0]).toMatchObject({
      amount: '0.29',
      integer: 29,
      factor: 100,
    });
  });

  it('tells why an intent was rejected, by the exit code, too', async () => {
    const claim = 'transfer 1000 usd from till to desk';
    const outcome = await cli.call(['intent', 'create', 'i-3', '--claim', claim, '--wait']);
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain('Reason: core.limit-exceeded');
    expect(outcome.err).toContain(
      'Try: see what the wallet has and may move: `countersign wallet balances <wallet>`, `countersign wallet limits ' +
        '<wallet>`; the intent is final: send another under another handle\n',
    );
    const accepted = await cli.call(['intent', 'create', 'i-4', '--claim', claim]);
    expect(accepted.code).toBe(0);
  });

  it('refuses amounts that the symbol cannot have, before anything is sent', async () => {
    for (const amount of ['0.001', '1e3', '1,5', '', '99999999999999999999']) {
      const flags = ['--action', 'issue', '--target', 'till', '--symbol', 'usd', `--amount=${amount}`];
      expect((await cli.call(['intent', 'create', 'never', ...flags])).code, amount).toBe(2);
    }
    expect((await cli.call(['intent', 'show', 'never'])).code).toBe(1);
  });

  it('holds an intent, and decides on it', async () => {
    await cli.done(['intent', 'create', 'i-5', '--claim', 'issue 1 usd to till', '--manual']);
    await cli.done(['intent', 'commit', 'i-5']);
    await expect
      .poll(async () => (await cli.done(['intent', 'show', 'i-5', '--json'])).json.meta.status)
      .toBe('completed');
  });

  it('waits until an intent is final, and no longer than it is told to', async () => {
    const hold = (handle: string, ...more: string[]) =>
      cli.call(['intent', 'create', handle, '--claim', 'issue 1 usd to till', '--manual', ...more]);
    const held = await hold('h-1', '--wait', '--timeout', '0.3');
    expect([held.code, held.err]).toEqual([
      6,
      '✗ The intent h-1 is not final after 0.3 seconds.\n' +
        '  Try: it continues without you: `countersign intent show h-1` shows its state\n',
    ]);
    const committed = await cli.done(['intent', 'commit', 'h-1', '--wait', '--json']);
    expect(committed.json.meta.status).toBe('completed');
    await hold('h-2');
    const aborted = await cli.done(['intent', 'abort', 'h-2', '--wait']);
    expect(aborted.err).toBe('✓ Intent h-2 rejected.\n');
    await hold('h-3');
    const signed = await cli.call(['intent', 'sign', 'h-3', '--say', '{"action":"abort"}', '--wait']);
    expect([signed.code, signed.err]).toEqual([1, expect.stringContaining('Try: the intent is final')]);
    for (const timeout of ['0', 'soon']) expect((await hold('h-4', '--timeout', timeout)).code).toBe(2);
    expect((await cli.call(['intent', 'show', 'h-4'])).code).toBe(1);
  });

  it('shows limits', async () => {
    const claims = JSON.stringify([
      { action: 'limit', wallet: 'desk', symbol: 'usd', metric: 'maxBalance', amount: 5000 },
    ]);
    await cli.done(['intent', 'create', 'i-6', '--claims', claims, '--wait']);
    expect((await cli.done(['wallet', 'limits', 'desk'])).out).toContain('usd     maxBalance  50.00');
  });
});

describe('what changes', () => {
  it('is shown as it happens', async () => {
    const watching = cli.start(['watch', 'anchor', '--count', '2', '--interval', '0.1', '--json', '--since']);
    let out = '';
    watching.stdout.on('data', (text: Buffer) => {
      out += text.toString();
    });
    await cli.done(['wallet', 'create', 'anchored']);
    await cli.done(['anchor', 'create', 'a-1', '--wallet', 'anchored', '--target', 'somewhere']);
    // It asks for the newest versions: of two between two questions it shows one.
    await eventually(() => expect(out).toContain('"created"'));
    await cli.done(['anchor', 'sign', 'a-1', '--status', 'active']);
    expect((await once(watching, 'close'))[0]).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ meta }) => meta.status)).toEqual(['created', 'active']);
  });

  it('shows drops', async () => {
    const { json } = await cli.done(['anchor', 'create', 'a-2', '--wallet', 'anchored', '--target', 'x', '--json']);
    const args = [
      'watch',
      'anchor',
      '--count',
      '2',
      '--interval',
      '0.1',
      '--json',
      '--since',
      '--filter',
      'data.handle=a-2',
    ];
    const child = cli.start(args);
    const lines: string[] = [];
    child.stdout.on('data', (text: Buffer) => lines.push(...text.toString().trim().split('\n')));
    await eventually(() => expect(lines).toHaveLength(1));
    await cli.done(['anchor', 'drop', 'a-2', '--yes']);
    expect((await once(child, 'close'))[0]).toBe(0);
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ luid: json.luid, meta: { action: 'drop', status: 'dropped' } });
  });
});
