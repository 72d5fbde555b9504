import type { RecordEnvelope } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { journalLimits } from '../../src/journal/journal-limits.js';
import { sweepJournals } from '../../src/journal/sweep.js';
import { newKey, newLedger, OPEN, type TestClient } from '../support/client.js';
import { miscounted } from '../support/counted.js';
import { eventually } from '../support/eventually.js';
import { stored } from '../support/scene.js';
import { startServer, withOwnServer } from '../support/server.js';
import { runSql } from '../support/sql.js';
import { bearer } from '../support/token.js';

const ON = { 'request.journalingEnabled': true };

async function journalOf(client: TestClient, query = ''): Promise<RecordEnvelope[]> {
  const { body } = await client.get(`/system/requests?page.limit=1000${query}`, bearer(client.key));
  return body.data;
}

describe('entries of journals, as they are kept (operations/monitoring#journals-of-requests)', () => {
  const server = withOwnServer();
  const sql = (text: string) => runSql<{ bytes: number }>(server.current.database.url, text, []);
  const metric = async (outcome: string) => {
    const text = await server.current.server.metrics.registry.metrics();
    const line = new RegExp(`^countersign_journal_entries_total{outcome="${outcome}".*} (\\d+)$`, 'm').exec(text);
    return Number(line?.[1] ?? 0);
  };
  afterEach(async () => void (await sql('drop trigger if exists refused on request')));

  it('count for the quota of their ledger, and are deleted once their time is over', async () => {
    const client = await newLedger(server.current.url, { config: ON });
    await stored(client, 'wallet', { handle: 'w' });
    await eventually(async () => expect(await journalOf(client)).toHaveLength(1));
    const noneMiscounted = () =>
      eventually(async () => expect(await miscounted(server.current.database.url)).toEqual([]));
    await noneMiscounted();
    const { store } = server.current.server.service;
    const signal = new AbortController().signal;
    const unit = { ledger: 0, unit: '' } as never;
    const day = 86_400_000;
    await sweepJournals(store.journal, 1, () => Date.now() + day - 60_000).run(unit, signal);
    expect(await journalOf(client)).toHaveLength(1);
    await sweepJournals(store.journal, 1, () => Date.now() + day + 60_000).run(unit, signal);
    expect(await journalOf(client)).toEqual([]);
    await noneMiscounted();
  });

  it('are found out where the database was changed', async () => {
    const client = await newLedger(server.current.url, { config: ON });
    await stored(client, 'wallet', { handle: 'w' });
    await eventually(async () => expect(await journalOf(client)).toHaveLength(1));
    await sql(
      `update request set source = 'signer:mallory' where ledger_id = (select id from ledger where handle = '${client.ledger}')`,
    );
    const answer = await client.get('/system/requests', bearer(client.key));
    expect(answer.body.data.reason).toBe('api.unexpected-error');
  });

  it('hold up nothing while they cannot be stored, and are stored later, each once', async () => {
    const client = await newLedger(server.current.url, { config: ON });
    await sql(`create or replace function refuse_entry() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refused before insert on request for each statement execute function refuse_entry()`);
    for (const handle of ['a', 'b']) await stored(client, 'wallet', { handle });
    expect(await journalOf(client)).toEqual([]);
    await sql('drop trigger refused on request');
    await eventually(async () => expect(await journalOf(client)).toHaveLength(2));
  });

  it('of refusals are bounded apart from those of writes, and the next one tells how many are missing', async () => {
    const client = await newLedger(server.current.url, { config: ON });
    await sql(`create or replace function refuse_entry() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refused before insert on request for each statement execute function refuse_entry()`);
    const most = journalLimits.waiting.others;
    const before = await metric('dropped');
    const bad = { authorization: 'Bearer none' };
    for (let sent = 0; sent < most + 3; sent += 1) await client.get('/wallets', bad);
    await stored(client, 'wallet', { handle: 'w' });
    expect((await metric('dropped')) - before).toBe(3);
    await sql('drop trigger refused on request');
    const entries = await eventually(async () => {
      const found = await journalOf(client);
      expect(found.length).toBe(most + 1);
      return found;
    });
    expect(entries.map(({ data }) => data.dropped ?? 0).filter((count) => count !== 0)).toEqual([3]);
    expect(entries.find(({ data }) => data.dropped === 3)?.data.action).toBe('create');
  });

  it('of refusals and shown secrets are left out while their ledger has little room', async () => {
    const access = [...OPEN, { action: 'reveal', record: 'any' }];
    const client = await newLedger(server.current.url, { config: ON, access });
    await stored(client, 'signer', { handle: 'app', format: 'ed25519-raw', public: newKey().public });
    await client.create('/signers/app/factors', { handle: 'f', signer: 'app', schema: 'oauth-client-credentials' });
    await eventually(async () => expect(await journalOf(client)).toHaveLength(2));
    const of = `(select id from ledger where handle = '${client.ledger}')`;
    await eventually(async () => {
      const rows = await sql(`update storage s set quota = bytes * 1.1 where ledger_id = ${of}
        and not exists (select from unsealed u where u.ledger_id = s.ledger_id) returning bytes`);
      expect(Number(rows[0]?.bytes)).toBeGreaterThan(20_000);
    });
    // One that has not looked at the quota before.
    const other = await startServer({ database: server.current.database });
    const full = client.at(other.url);
    await full.get('/wallets', { authorization: 'Bearer none' });
    const shown = await full.get('/signers/app/factors/f?include=meta.secret', bearer(client.key));
    expect(shown.body.meta.secret).toBeDefined();
    await stored(full.as(newKey()), 'wallet', { handle: 'w' });
    await other.stop();
    expect(await journalOf(client, '&data.record=wallet')).toHaveLength(1);
    expect(await journalOf(client, '&meta.status=rejected')).toEqual([]);
    expect(await journalOf(client, '&data.action=reveal')).toEqual([]);
  });

  it('of strangers are kept to the latest, and those that are deleted are counted', async () => {
    const client = await newLedger(server.current.url, { config: ON });
    const of = `(select id from ledger where handle = '${client.ledger}')`;
    const strangers = journalLimits.kept.others;
    await sql(`with earlier as (
        insert into request (ledger_id, handle, moment, sort, record, action, source, status, data, result)
        select ${of}, 'old-' || n, '2020-01-01', 2, 'wallet', 'read', null, 'rejected', '{}', '' from generate_series(1, ${strangers}) n
        returning 512 + octet_length(data) as bytes)
      insert into storage as had (ledger_id, bytes) select ${of}, sum(bytes) from earlier
      on conflict (ledger_id) do update set bytes = had.bytes + excluded.bytes`);
    const before = await metric('trimmed');
    const most = journalLimits.waiting.others;
    for (let sent = 0; sent < journalLimits.trimmed; sent += most) {
      for (let one = 0; one < most; one += 1) await client.get('/wallets', { authorization: 'Bearer none' });
      await eventually(async () => {
        const [row] = await sql(
          `select count(*)::int as bytes from request where ledger_id = ${of} and moment > '2021-01-01'`,
        );
        expect(row!.bytes).toBe(sent + most);
      });
    }
    await eventually(async () => expect((await metric('trimmed')) - before).toBe(journalLimits.trimmed));
    const [row] = await sql(`select count(*)::int as bytes from request where ledger_id = ${of}`);
    expect(row!.bytes).toBe(strangers);
    await eventually(async () => expect(await miscounted(server.current.database.url)).toEqual([]));
  });

  it('are stored before the server ends', async () => {
    const other = await startServer({ database: server.current.database });
    const client = (await newLedger(other.url, { config: ON })).at(other.url);
    await stored(client, 'wallet', { handle: 'w' });
    await other.stop();
    expect(await journalOf(client.at(server.current.url))).toHaveLength(1);
  });
});
