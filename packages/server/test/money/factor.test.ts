import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectRefusal } from '../support/checks.js';
import type { TestAnswer } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { Books, planOf } from './books.js';
import { destroy, issue, limit, MoneyScene } from './scene.js';

const server = withOwnServer();

let money: MoneyScene;
let books: Books;
beforeEach(async () => {
  money = await MoneyScene.make(server.current.url, ['alice'], { config: { 'limits.aggregated.enabled': true } });
  books = await Books.of(server.current, money.client);
});
afterEach(() => books.close());

const read = async (path: string): Promise<RecordEnvelope> => ok(await money.client.get(path)).body;

/** Replaces the data of the symbol. */
async function put(data: JsonObject): Promise<TestAnswer> {
  return money.client.update('/symbols/usd', await read('/symbols/usd'), { handle: 'usd', ...data });
}

async function expectFixed(answer: TestAnswer): Promise<void> {
  expectRefusal(
    answer,
    money.client,
    'record.update-rejected',
    "Cannot change factor of symbol 'usd' with amounts counted in it",
  );
  expect((await read('/symbols/usd')).data.factor).toBe(100);
}

describe('the factor of a symbol (interface/wallets#symbols)', () => {
  it('can be changed while nothing is counted in it', async () => {
    ok(await put({ factor: 1 }));
    await money.rejected([destroy('alice', 5)]);
    ok(await put({ factor: 100 }));
    await money.issue('alice', 5);
    expect(await money.balance('alice')).toEqual([5, 0]);
  });

  it('stays once anything was issued, also when nothing is left of it; other members change', async () => {
    await money.issue('alice', 1_000);
    await expectFixed(await put({ factor: 1 }));
    await money.done([destroy('alice', 1_000)]);
    await expectFixed(await put({ factor: 1 }));
    ok(await put({ factor: 100, custom: { name: 'dollar' } }));
  });

  it('stays once a limit is set, of a day as well', async () => {
    await money.done([limit('alice', 'dailyAmount', 1_000)]);
    await expectFixed(await put({ factor: 1 }));
  });

  it('stays while an intent under way moves it', async () => {
    const intent = await books.underWay(planOf({ entries: [[await read('/wallets/alice'), 'usd']] }));
    await expectFixed(await put({ factor: 1 }));
    await books.ended(intent);
    ok(await put({ factor: 1 }));
  });

  it('stays while an intent that names it waits for its decision', async () => {
    // Another process is the leader of the ledger: here intents are accepted only.
    await runSql(
      server.current.database.url,
      "insert into home (ledger_id, holder, until, moment) values ($1, 'nobody', now() + interval '1 hour', 'epoch')",
      [books.ledger],
    );
    const handle = await money.intend([{ ...issue('alice', 1_000), symbol: 'usd' }]);
    expect((await money.read(handle)).meta.status).toBe('pending');
    await expectFixed(await put({ factor: 1 }));
    await runSql(server.current.database.url, "update home set until = '-infinity' where ledger_id = $1", [
      books.ledger,
    ]);
    await money.ends(handle, 'completed');
  });

  it('sees the first amount that comes at the same time', async () => {
    const symbol = await read('/symbols/usd');
    const wallet = await read('/wallets/alice');
    /** Changes the factor while another transaction moves money by the symbol. */
    const during = async (end: 'commit' | 'rollback') => {
      await books.connection.query('begin');
      await books.connection.query('select from record where ledger_id = $1 and luid = $2 for key share', [
        books.ledger,
        symbol.luid,
      ]);
      await books.set(wallet, 'usd', { available: 5 });
      const answer = put({ factor: 1 });
      await eventually(async () => {
        const waiting = "datname = current_database() and wait_event_type = 'Lock'";
        expect(await runSql(server.current.database.url, `select from pg_stat_activity where ${waiting}`)).not.toEqual(
          [],
        );
      });
      await books.connection.query(end);
      return answer;
    };
    await expectFixed(await during('commit'));
    await runSql(server.current.database.url, 'delete from balance where ledger_id = $1', [books.ledger]);
    expect((await during('rollback')).status).toBe(200);
  });
});
