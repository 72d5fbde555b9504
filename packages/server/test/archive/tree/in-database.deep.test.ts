import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMac } from '../../../src/integrity/mac.js';
import type { KindName } from '../../../src/kinds/kind.js';
import { keyringOf } from '../../support/keyring.js';
import { seeded } from '../../support/seed.js';
import { exported, verified } from '../support.js';
import { type Means, OF_CHANGES } from './alterations.js';
import { Draft, publicOf } from './draft.js';
import { type SealedLedger, sealedLedger } from './sealed-ledger.js';

/** In the long run as many as the promise says, for the alterations of lines and of rows together. */
const ROUNDS = process.env.LONG_TESTS === undefined ? 1 : 8;

let ledger: SealedLedger;
let client: pg.Client;
let means: Means;
let id: number;

beforeAll(async () => {
  ledger = await sealedLedger();
  client = new pg.Client({ connectionString: ledger.server.database.url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  id = (await client.query('select id from ledger where handle = $1', [ledger.handle])).rows[0].id;
  const random = seeded();
  means = {
    drawn: (count) => Math.floor(random() * count),
    keys: new Map([ledger.key, ledger.scene.client.key].map((key) => [publicOf(key), key])),
  };
}, 600_000);
afterAll(async () => {
  await client.end();
});

const TABLES = ['change', 'record', 'log', 'log_leaf'];

/** Does something to the rows of the ledger, and puts them back. */
async function altering<T>(alter: () => Promise<void>, look: () => Promise<T>): Promise<T> {
  for (const table of TABLES)
    await client.query(`create temp table kept_${table} as select * from ${table} where ledger_id = ${id}`);
  try {
    await alter();
    return await look();
  } finally {
    for (const table of TABLES) {
      await client.query(`delete from ${table} where ledger_id = $1`, [id]);
      await client.query(`insert into ${table} overriding system value select * from kept_${table}`);
      await client.query(`drop table kept_${table}`);
    }
  }
}

/** Writes what a draft has into the database, as who has the master key can: changes, codes, leaves, checkpoint. */
async function write(draft: Draft): Promise<void> {
  const mac = createMac((await keyringOf(ledger.server.database.url)).codes);
  const whole = versionsIn(Draft.of(ledger.text));
  const versions = versionsIn(draft);
  // A version may be stored by what the one after it has alike: a record is written with all of its own.
  const altered = draft.changes.filter(({ luid }) => versions.get(luid) !== whole.get(luid));
  const kept = { luids: draft.changes.map(({ luid }) => luid), changes: draft.changes.map(({ change }) => change) };
  await client.query(
    `delete from change c where ledger_id = $1
       and not exists (select from unnest($2::text[], $3::int[]) as k (luid, change) where k.luid = c.luid and k.change = c.change)`,
    [id, kept.luids, kept.changes],
  );
  for (const { kind, luid, change, action, moment, hash, text: body } of altered) {
    const code = mac({ ledger: Number(id), kind: kind as KindName }, { luid, change, action, body });
    await client.query(
      `insert into change (ledger_id, luid, change, kind, action, moment, hash, body, mac, cut)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null)
       on conflict (ledger_id, luid, change) do update set moment = $6, hash = $7, body = $8, mac = $9, cut = null`,
      [id, luid, change, kind, action, moment, hash, body, code],
    );
  }
  const leaves = draft.changes.filter(({ leaf }) => leaf);
  const none = Buffer.alloc(32).toString('base64');
  await client.query('delete from log_leaf where ledger_id = $1', [id]);
  await client.query(
    `insert into log_leaf (ledger_id, luid, change, first, commitments, salts)
     select $1, luid, change, first, decode($2, 'base64'), decode(salt, 'base64')
     from unnest($3::text[], $4::int[], $5::int[], $6::text[]) as l (luid, change, first, salt)`,
    [
      id,
      none,
      leaves.map(({ luid }) => luid),
      leaves.map(({ change }) => change),
      leaves.map(({ leaf }) => leaf.index),
      leaves.map(({ leaf }) => leaf.salt),
    ],
  );
  const { size, checkpoint } = draft.header.log;
  await client.query('update log set size = $2, checkpoint = $3 where ledger_id = $1', [id, size, checkpoint]);
  const current = draft.lines.filter(({ line }) => line === 'current');
  const luids = current.map(({ luid }) => luid);
  await client.query(
    `update record r set change = c.change from unnest($2::text[], $3::int[]) as c (luid, change)
     where r.ledger_id = $1 and r.luid = c.luid and r.change <> c.change`,
    [id, luids, current.map(({ change }) => change)],
  );
  await client.query('delete from record where ledger_id = $1 and luid <> all($2)', [id, luids]);
}

/** What the versions of each record say, by its luid. */
function versionsIn({ changes }: Draft): Map<string, string> {
  const found = new Map<string, string>();
  for (const { leaf: _, ...line } of changes)
    found.set(line.luid, `${found.get(line.luid) ?? ''}${JSON.stringify(line)}\n`);
  return found;
}

describe('a ledger that was altered in its database by who has its key (interface/log-verifying)', () => {
  const exportedNow = () => exported(ledger.server, ledger.handle, { maySeal: false });

  it('is found by its export, and by an older checkpoint where the log was made anew', async () => {
    const missed: string[] = [];
    const unseen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, alter] of Object.entries(OF_CHANGES)) {
        const draft = Draft.of(ledger.text);
        let first: number | undefined;
        while (first === undefined) first = alter(draft, means);
        const raw = await altering(() => write(draft), exportedNow);
        if (!isFound(raw)) missed.push(name);
        await draft.reseal(ledger.key);
        const sealed = await altering(() => write(draft), exportedNow);
        if (!isFound(sealed)) unseen.add(name);
        // A record that is added behind the end is what a log may well have.
        if (name !== 'copies a record' && !isFound(sealed, ledger.kept)) missed.push(`${name}, sealed anew`);
      }
    }
    expect(missed).toEqual([]);
    // The export is what the database holds: the log that was made anew fits it.
    expect(unseen.size).toBeGreaterThan(8);
    expect(isFound(await exportedNow(), ledger.kept)).toBe(false);
  }, 3_600_000);
});

function isFound(text: string, checkpoints: SealedLedger['kept'] = []): boolean {
  const { findings } = verified(text, undefined, { checkpoints });
  return findings.some(({ rule }) => rule === 'log');
}
