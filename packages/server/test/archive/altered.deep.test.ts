import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMac } from '../../src/integrity/mac.js';
import type { KindName } from '../../src/kinds/kind.js';
import { seeded } from '../support/seed.js';
import type { RunningServer } from '../support/server.js';
import { exported, verified } from './support.js';
import { sealedLedger } from './tree/sealed-ledger.js';

const ALTERATIONS = process.env.LONG_TESTS ? 1_000 : 30;

interface Row {
  readonly luid: string;
  readonly change: number;
  readonly body: string;
}

let server: RunningServer;
let ledger: string;
let client: pg.Client;

beforeAll(async () => {
  ({ server, handle: ledger } = await sealedLedger());
  client = new pg.Client({ connectionString: server.database.url });
  await client.connect();
  await client.query('set session_replication_role = replica');
});
afterAll(() => client.end());

/** Makes the codes of a record anew, as only who has the master key can. */
async function encode(luid: string): Promise<void> {
  const mac = createMac(server.server.service.keys.codes);
  const { rows } = await client.query(
    'select ledger_id, kind, luid, change, action, body from version where luid = $1',
    [luid],
  );
  for (const { ledger_id, kind, ...version } of rows) {
    const code = mac({ ledger: Number(ledger_id), kind: kind as KindName }, version);
    await client.query('update change set mac = $3 where luid = $1 and change = $2', [luid, version.change, code]);
  }
}

async function store({ luid, change, body }: Row): Promise<void> {
  await client.query('update change set body = $3 where luid = $1 and change = $2', [luid, change, body]);
  await encode(luid);
}

it(`finds each of ${ALTERATIONS} random bytes that are altered in the database, and names record and change (export)`, async () => {
  const { rows } = await client.query<Row>(
    'select c.luid, c.change, c.body from change c join ledger l on l.id = c.ledger_id where l.handle = $1 order by luid, change',
    [ledger],
  );
  const random = seeded();
  const drawn = (count: number) => Math.floor(random() * count);
  const missed: string[] = [];
  for (let made = 0; made < ALTERATIONS; ) {
    const row = rows[drawn(rows.length)]!;
    const at = drawn(row.body.length);
    const byte = String.fromCharCode(0x20 + drawn(0x5f));
    // One byte for another: what UTF-8 writes in several is left alone.
    if (row.body.charCodeAt(at) > 0x7e || row.body[at] === byte) continue;
    made += 1;
    const body = row.body.slice(0, at) + byte + row.body.slice(at + 1);
    await store({ ...row, body });
    const { findings } = verified(await exported(server, ledger, { maySeal: false }));
    const isNamed = findings.some(({ luid, change }) => luid === row.luid && change === row.change);
    if (!isNamed)
      missed.push(`${row.luid} change ${row.change}: ${row.body.slice(at - 60, at)}[${row.body[at]}→${byte}]`);
    await store(row);
  }
  expect(missed).toEqual([]);
  expect(verified(await exported(server, ledger)).told).toEqual([]);
}, 3_600_000);

it('is refused by an export when the code was not made anew (export#export)', async () => {
  const { rows } = await client.query<Row>(
    `select c.luid, c.change, c.body from change c join ledger l on l.id = c.ledger_id
     where l.handle = $1 and c.kind = 'wallet' limit 1`,
    [ledger],
  );
  const [row] = rows;
  await client.query('update change set body = $3 where luid = $1 and change = $2', [
    row!.luid,
    row!.change,
    row!.body.replace('created', 'creeted'),
  ]);
  await expect(exported(server, ledger)).rejects.toThrow(
    `Change ${row!.change} of ${row!.luid} is not the text that was stored`,
  );
  await store(row!);
});

it('is refused by an export when its code was taken away, and the version does not verify (export#export)', async () => {
  const { rows } = await client.query<Row & { mac: string }>(
    `select c.luid, c.change, c.body, c.mac from change c join ledger l on l.id = c.ledger_id
     where l.handle = $1 and c.kind = 'wallet' and c.change = 1 order by luid limit 1`,
    [ledger],
  );
  const [row] = rows;
  const set = (body: string, mac: string | null) =>
    client.query('update change set body = $3, mac = $4 where luid = $1 and change = $2', [
      row!.luid,
      row!.change,
      body,
      mac,
    ]);
  // Attempts of deliveries go on meanwhile.
  const lines = async () =>
    (await exported(server, ledger))
      .split('\n')
      .slice(1, -2)
      .filter((line) => !line.startsWith('{"line":"delivery"'));
  const whole = await lines();
  // As early releases have stored it.
  await set(row!.body, null);
  expect(await lines()).toEqual(whole);
  await set(row!.body.replace('"handle":"', '"handle":"other-'), null);
  await expect(exported(server, ledger)).rejects.toThrow(
    `Change 1 of ${row!.luid} has another hash than its data: it was altered in the database.`,
  );
  const proof = /"custom":\{"luid":"[^"]+"/.exec(row!.body)![0];
  await set(row!.body.replaceAll(proof, '"custom":{"luid":"other"'), null);
  await expect(exported(server, ledger)).rejects.toThrow(`Change 1 of ${row!.luid} has no proof of its ledger`);
  await set(row!.body, row!.mac);
});

it('finds an index that says of an older version that it is current', async () => {
  const { rows } = await client.query<{ luid: string; change: number }>(
    `select r.luid, r.change from record r join ledger l on l.id = r.ledger_id
     where l.handle = $1 and r.kind = 'wallet' and r.change > 1 limit 1`,
    [ledger],
  );
  const [{ luid, change } = { luid: '', change: 0 }] = rows;
  const point = (to: number) => client.query('update record set change = $2 where luid = $1', [luid, to]);
  await point(change - 1);
  expect(verified(await exported(server, ledger)).told).toEqual([
    `change ${change} of wallet ${luid}: is the newest, and the index says change ${change - 1}`,
  ]);
  await point(change);
});

it('finds the last versions that were deleted, where the index knows of them', async () => {
  const { rows } = await client.query<Row & { ledger_id: string }>(
    `select c.* from change c join ledger l on l.id = c.ledger_id where l.handle = $1 and c.kind = 'wallet' and c.change > 1 limit 1`,
    [ledger],
  );
  const row = rows[0]!;
  const later = 'luid = $1 and change >= $2';
  await client.query(`create temp table kept as select * from change where ${later}`, [row.luid, row.change]);
  await client.query(`delete from change where ${later}`, [row.luid, row.change]);
  expect(verified(await exported(server, ledger)).findings.some(({ luid }) => luid === row.luid)).toBe(true);
  await client.query('insert into change overriding system value select * from kept');
});
