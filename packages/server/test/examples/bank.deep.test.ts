import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase64, type JsonObject } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: the example is plain JavaScript
const { Books } = (await import(new URL('../../../../examples/bank/books.mjs', import.meta.url).href)) as any;

import { checkBooks } from '../money/invariants.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { newKey, signed, systemKeyOf } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { withOwnServer } from '../support/server.js';
import { BankProcess } from './bank-process.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
const key = newKey();
const random = seeded();
const drawInteger = (below: number) => Math.floor(random() * below);
let money: MoneyScene;
let folder: string;
let bank: BankProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-bank-'));
  money = await MoneyScene.make(running.current.url, ['alice', 'bob']);
  await stored(money.client, 'signer', { handle: 'bank', public: key.public, format: 'ed25519-raw' });
  bank = await BankProcess.start({
    ...{ LEDGER_URL: running.current.url, LEDGER: money.client.ledger ?? '', STATE: folder },
    ...{ PUBLIC: key.public, SECRET: encodeBase64(key.secret), ACCOUNTS: '105:usd:500,106:usd:500' },
  });
  const config = { server: bank.url };
  await stored(money.client, 'bridge', { handle: 'bank', schema: 'rest', secure: [], config });
  await money.add([{ handle: 'acc', bridge: 'bank' }]);
  await money.issue('acc', 1_000);
  await money.issue('alice', 1_000);
});

afterEach(async () => {
  await bank.stop('SIGKILL');
  await rm(folder, { recursive: true });
  await checkBooks(running.current.database.url);
});

/** What the bank has on its disk, after it has stopped. */
async function booksOf() {
  await bank.stop();
  return Books.open(folder);
}

describe('the example of a bank', () => {
  it('pays in, pays out, and keeps the same books as the ledger', async () => {
    expect(bank.out).toContain(`for what ${systemKeyOf(money.client)} has signed\n`);
    for (const claim of [
      transfer('alice', 'account:105@acc', 30),
      transfer('account:106@acc', 'bob', 20),
      transfer('account:105@acc', 'account:106@acc', 50),
    ]) {
      await money.ends(await money.intend([claim]), 'completed');
    }
    expect(await money.balance('acc')).toEqual([1_010, 0]);
    const books = await booksOf();
    expect([books.balance('105', 'usd'), books.balance('106', 'usd')]).toEqual([
      { available: 480, held: 0 },
      { available: 530, held: 0 },
    ]);
    await books.close();
  });

  it('refuses what an account does not hold, and accounts that it does not have', async () => {
    const over = await money.intend([transfer('account:105@acc', 'bob', 501)]);
    await money.ends(over, 'rejected');
    const unknown = await money.intend([transfer('alice', 'account:9@acc', 1)]);
    await money.ends(unknown, 'rejected');
    const reasons = await Promise.all([over, unknown].map((one) => money.trail(one)));
    expect(reasons.map((trail) => trail.find(([signer]) => signer === 'bank')![1].reason)).toEqual([
      'bridge.account-insufficient-balance',
      'bridge.account-not-found',
    ]);
    expect(await money.balance('acc')).toEqual([1_000, 0]);
  });

  it('takes nothing that the ledger has not signed, and nothing that was signed for another call', async () => {
    const handle = await money.intend([transfer('alice', 'account:105@acc', 30)]);
    await money.ends(handle, 'completed');
    const { body } = await eventually(async () => {
      const answer = await money.client.get('/bridges/bank/events');
      // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
      expect(answer.body.data.map(({ meta }: any) => meta.status)).toEqual(Array(4).fill('delivered'));
      return answer;
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const outputs = body.data.map(({ meta }: any) => meta.output).filter((one: any) => one.data.handle !== handle);
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into records
    const prepare = outputs.find((one: any) => one.data.schema === 'credit');
    const post = async (path: string, sent: unknown) => {
      const answer = await fetch(bank.url + path, { method: 'POST', body: JSON.stringify(sent) });
      return answer.status;
    };
    const { data } = prepare;
    expect(await post('/credits', prepare)).toBe(202);
    expect(await post('/debits', prepare)).toBe(400);
    expect(await post('/credits', { ...prepare, data: { ...data, amount: 31 } })).toBe(400);
    expect(await post('/credits', signed({ ...data, amount: 31 } as JsonObject, newKey()))).toBe(400);
    expect(await post(`/credits/${data.handle}/commit`, prepare)).toBe(400);
    expect(await post('/credits', 'nonsense')).toBe(400);
    expect(await post('/other', prepare)).toBe(404);
    const books = await booksOf();
    expect(books.balance('105', 'usd')).toEqual({ available: 530, held: 0 });
    await books.close();
  });

  it('has the same books as the ledger however often it is killed', async () => {
    const accounts = ['account:105@acc', 'account:106@acc', 'alice', 'bob'];
    const handles: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const claims = Array.from({ length: 5 }, () => {
        const [from, to] = [drawInteger(4), drawInteger(3)];
        return transfer(accounts[from]!, accounts[(from + 1 + to) % 4]!, 1 + drawInteger(300));
      });
      handles.push(...(await Promise.all(claims.map((claim) => money.intend([claim])))));
      await new Promise((resolve) => setTimeout(resolve, drawInteger(60)));
      await bank.stop('SIGKILL');
      // What a crash may leave of a line.
      await appendFile(join(folder, 'journal'), '\n{"entry":{"handle":"deb_');
      bank = await bank.again();
    }
    await eventually(async () => {
      for (const handle of handles) {
        expect(['completed', 'rejected']).toContain((await money.read(handle)).meta.status);
      }
    });
    const [available, reserved] = await money.balance('acc');
    const books = await booksOf();
    expect([available, reserved]).toEqual([books.total('usd'), 0]);
    expect([books.balance('105', 'usd').held, books.balance('106', 'usd').held]).toEqual([0, 0]);
    await books.close();
  });
});
