import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addWebhook } from '../deliveries/scene.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { TestClient } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { exported, imported, sealedAnew, verified } from './support.js';

const PASSPHRASE = 'correct horse';

let from: RunningServer;
let into: RunningServer;
let scene: MoneyScene;
/** An export with an intent that is held, from alice to bob. */
let text: string;
let effect: string;

beforeAll(async () => {
  from = await startServer();
  into = await startServer();
  scene = await MoneyScene.make(from.url, ['alice', 'bob', 'mallory']);
  await scene.issue('alice', 100);
  effect = (await addWebhook(scene.client, 'hook', 'https://hook.example')).luid;
  await scene.intend([transfer('alice', 'bob', 1)], { config: { commit: 'manual' } });
  text = await exported(from, scene.client.ledger!, { passphrase: PASSPHRASE });
});
afterAll(async () => {
  await from.stop();
  await into.stop();
});

type Members = Record<string, unknown>;

const linesOf = () => text.trimEnd().split('\n');

/** The file with its line of an intent under way altered, and the last line made anew. */
function withOpen(alter: (line: { state: string } & Members) => Members): string {
  const lines = linesOf();
  const at = lines.findIndex((line) => line.startsWith('{"line":"open"'));
  return sealedAnew(`${lines.with(at, JSON.stringify(alter(JSON.parse(lines[at]!)))).join('\n')}\n`);
}

/** The file with a delivery that nobody raised, and the last line made anew. */
function withDelivery(members: Members): string {
  const lines = linesOf();
  const at = lines.findIndex((line) => /"line":"(retry|schedule|secret|end)"/.test(line));
  const moment = new Date().toISOString();
  const line = {
    line: 'delivery',
    handle: 'forged0000000000a',
    effect,
    effect_handle: 'hook',
    effect_change: 1,
    target: 'https://evil.example',
    event: JSON.stringify({ handle: 'evt_AAAAAAAAAAAAAAAAA', signal: 'wallet-created', members: {} }),
    moment,
    status: 'pending',
    attempts: 0,
    tries: 0,
    due: moment,
    proofs: '',
    ...members,
  };
  return sealedAnew(`${lines.toSpliced(at, 0, JSON.stringify(line)).join('\n')}\n`);
}

const planOf = (wallet: string) => (line: { state: string } & Members) => {
  const kept = JSON.parse(line.state);
  kept.state.plan.entries[1].wallet = wallet;
  return { ...line, state: JSON.stringify(kept) };
};

describe('what the server works with, in a file with keys (export#import)', () => {
  it('is imported only as it was written', async () => {
    const forged = [
      withDelivery({}),
      withOpen((line) => ({ ...line, version: 999 })),
      // A last line without a code.
      sealedAnew(text),
    ];
    for (const one of forged) {
      expect(verified(one).told).toEqual([]);
      await expect(imported(into, one, { passphrase: PASSPHRASE })).rejects.toThrow(
        'The file was altered after it was written: its last line has no code, or one of another file. Nothing was stored.',
      );
    }
    const lines = linesOf();
    const end = JSON.parse(lines.at(-1)!);
    expect(end.mac).toMatch(/^[0-9a-f]{64}$/);
    const other = `${lines.with(-1, JSON.stringify({ ...end, mac: '0'.repeat(64) })).join('\n')}\n`;
    await expect(imported(into, other, { passphrase: PASSPHRASE })).rejects.toThrow('no code, or one of another file');
    const there = new TestClient(into.url, scene.client.key, scene.client.ledger);
    expect((await there.get('/ledger')).status).toBe(404);
  });
});

describe('a row of what the server works with that was altered in the database (export#export)', () => {
  // The webhook is to be told of it.
  beforeAll(() => scene.add(['carol']));

  /** What an export says while a column holds something else. */
  async function toldWith(table: string, column: string, value: unknown): Promise<[string, string]> {
    const { url } = from.database;
    const [row] = await runSql<Record<string, string>>(url, `select * from ${table} limit 1`);
    const name = table === 'delivery' ? 'handle' : 'luid';
    const set = (to: unknown) => runSql(url, `update ${table} set ${column} = $2 where ${name} = $1`, [row![name], to]);
    await set(value);
    const told = await exported(from, scene.client.ledger!).then(
      () => 'exported',
      (error: Error) => `${error.name}: ${error.message}`,
    );
    await set(row![column]);
    return [row![name]!, told];
  }

  it('is refused where it is an intent under way', async () => {
    const open = JSON.parse(linesOf().find((line) => line.startsWith('{"line":"open"'))!);
    expect(open).not.toHaveProperty('mac');
    for (const [column, value] of [
      ['state', planOf('mallory')(open).state],
      ['mac', 'A'.repeat(22)],
    ] as const) {
      const [luid, told] = await toldWith('open_intent', column, value);
      expect(told).toBe(
        `ExportRefused: The row of ${luid} under way is not what was stored: it was altered in the database.`,
      );
    }
  });

  it('is refused where it is a delivery, or says why a call was given up', async () => {
    for (const [column, value] of [
      ['target', 'https://evil.example'],
      ['event', JSON.stringify({ handle: 'evt_AAAAAAAAAAAAAAAAA', signal: 'wallet-created', members: {} })],
      ['effect_change', 7],
      ['linked', 'other'],
      ['purpose', 'commit'],
      ['mac', null],
      ['given_up', 'no reason'],
      ['given_up_mac', 'A'.repeat(22)],
    ] as const) {
      const [handle, told] = await toldWith('delivery', column, value);
      expect(told, column).toBe(
        `ExportRefused: The row of $evd.${handle} is not what was stored: it was altered in the database.`,
      );
    }
  });

  it('is exported again once it is as it was', async () => {
    const again = await exported(from, scene.client.ledger!);
    const rows = again.split('\n').filter((line) => /^\{"line":"(open|delivery)"/.test(line));
    expect(rows.map((line) => JSON.parse(line).line)).toEqual(['open', 'delivery']);
    expect(rows.filter((line) => /"(given_up_)?mac":/.test(line))).toEqual([]);
    expect(verified(again).told).toEqual([]);
  });
});

describe('a plan of an intent under way (export#what-is-verified)', () => {
  const told = (file: string) => verified(file).told.join();

  it('is compared with the proofs of the intent', () => {
    expect(verified(text).told).toEqual([]);
    expect(told(withOpen(planOf('mallory')))).toContain('is under way with another plan than its proofs give');
    const luidOf = (handle: string) => {
      const line = linesOf().find(
        (one) => one.includes('"kind":"wallet"') && one.includes(`\\"handle\\":\\"${handle}\\"`),
      );
      return JSON.parse(line!).luid as string;
    };
    const redirect = (line: { state: string } & Members) => ({
      ...line,
      state: line.state.replaceAll(luidOf('bob'), luidOf('mallory')),
    });
    expect(told(withOpen(redirect))).toContain('is under way with a wallet bob that is another one');
  });

  it('is that of an intent which is under way', () => {
    const wallet = JSON.parse(linesOf().find((line) => line.includes('"kind":"wallet"'))!).luid;
    expect(told(withOpen((line) => ({ ...line, luid: wallet })))).toContain('is not an intent under way');
    expect(told(withOpen((line) => ({ ...line, state: 'null' })))).toContain('has a state that no intent has');
  });
});

describe('a line of what the server works with (export#lines)', () => {
  const told = (members: Members) => verified(withDelivery(members)).told.join();

  it('has the members of its sort', () => {
    expect(told({})).toBe('');
    expect(told({ target: undefined })).toContain("has no text in 'target'");
    expect(told({ attempts: 'x' })).toContain("has no integer in 'attempts'");
    expect(told({ due: 'infinity' })).toContain("has no moment in 'due'");
    expect(told({ more: 1 })).toContain("has an unknown member 'more'");
  });

  it('has an event that can be made', () => {
    const event = (members: unknown) =>
      told({ event: JSON.stringify({ handle: 'evt_a', signal: 'wallet-created', members }) });
    for (const members of [
      null,
      { wallet: null },
      { wallet: { record: 'x' } },
      { wallet: { proof: ['wallet', 'x', 1] } },
    ])
      expect(event(members)).toContain('has an event that no ledger makes');
    expect(event({ wallet: { record: ['wallet', `$wlt.${'A'.repeat(17)}`, 1] } })).toContain('which does not exist');
    expect(told({ event: '{' })).toContain('has an event that no ledger makes');
    expect(told({ purpose: 'commit' })).toContain('has an event that no ledger makes');
    expect(told({ proofs: '}' })).toContain('has proofs of another form');
  });
});
