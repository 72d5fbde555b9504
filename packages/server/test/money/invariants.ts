import { verifyProof } from '@countersign/protocol';
import pg from 'pg';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';

/** What must hold of the money of every ledger, whatever has happened, read straight from the database. */
const INVARIANTS: Readonly<Record<string, string>> = {
  'what is available and reserved is what was issued less what was destroyed': `
    select b.ledger_id, b.symbol, sum(b.available + coalesce(b.reserved, 0)) as held, coalesce(max(i.issued), 0) as issued
    from balance b left join (
      select ledger_id, symbol, sum(issued) as issued from (
      select r.ledger_id, symbol, sum(case when side = 'credit' then amount else -amount end) as issued
      from record r
        join change c on c.ledger_id = r.ledger_id and c.luid = r.luid and c.change = r.change
        cross join lateral jsonb_array_elements(c.body::jsonb #> '{meta,proofs}') p
        cross join lateral (
          select p #>> '{custom,symbol}' as symbol, p #>> '{custom,schema}' as side, (p #>> '{custom,amount}')::numeric as amount
        ) e
      where r.kind = 'intent' and p #>> '{custom,status}' = 'resolved'
        -- Sides of transfers cancel out once they have cleared.
        and exists (
          select from jsonb_array_elements(c.body::jsonb #> '{meta,proofs}') q where q #>> '{custom,detail}' = 'cleared')
      group by r.ledger_id, symbol
      union all
      -- Of an erased intent its movements are left.
      select e.ledger_id, e.symbol, sum(e.available_by + e.reserved_by)
      from entry e join change c on c.ledger_id = e.ledger_id and c.luid = e.intent and c.change = e.change
      where c.body is null group by e.ledger_id, e.symbol
      ) each_of group by ledger_id, symbol
    ) i on i.ledger_id = b.ledger_id and i.symbol = b.symbol
    group by b.ledger_id, b.symbol
    having sum(b.available + coalesce(b.reserved, 0)) <> coalesce(max(i.issued), 0)`,
  'a balance is its last movement, and the sum of its movements': `
    select b.* from balance b left join (
      select ledger_id, wallet, symbol, sum(available_by) as available, sum(reserved_by) as reserved, max(version) as last,
        count(*) as movements
      from entry group by ledger_id, wallet, symbol
    ) e using (ledger_id, wallet, symbol)
    where e.available is distinct from b.available or e.reserved is distinct from coalesce(b.reserved, 0)
      or e.last is distinct from b.version or e.movements is distinct from b.version`,
  'movements follow from one another': `
    select * from (
      select *, lag(available, 1, 0) over w + available_by as expected, lag(coalesce(reserved, 0), 1, 0) over w + reserved_by as kept
      from entry window w as (partition by ledger_id, wallet, symbol order by version)
    ) e where e.available <> e.expected or coalesce(e.reserved, 0) <> e.kept`,
  'each movement is of a change of an intent': `
    select e.* from entry e left join change c
      on c.ledger_id = e.ledger_id and c.luid = e.intent and c.change = e.change and c.kind = 'intent'
    where c.luid is null`,
  'a text is forgotten only of an intent that was erased': `
    select c.luid from change c where c.kind = 'intent' and c.body is null and not exists (
      select from change e where e.ledger_id = c.ledger_id and e.luid = c.luid and e.action = 'erase')`,
  'nothing is reserved without an intent under way': `
    select b.ledger_id from (
      select ledger_id, sum(coalesce(reserved, 0)) as reserved from balance group by ledger_id
    ) b
    where b.reserved <> 0 and not exists (select from open_intent o where o.ledger_id = b.ledger_id)`,
  'an intent is final or under way': `
    select r.luid, r.status from record r
    where r.kind = 'intent' and (r.status in ('completed', 'rejected')) = exists (
      select from open_intent o where o.ledger_id = r.ledger_id and o.luid = r.luid)`,
  'versions of intents are gapless': `
    select c.luid from (
      select ledger_id, luid, count(*) as count, max(change) as last from change where kind = 'intent' group by ledger_id, luid
    ) c left join record r on r.ledger_id = c.ledger_id and r.luid = c.luid
    where c.count <> c.last or c.last <> r.change`,
};

/** The versions of intents whose proofs were found good, by database: history is append-only, so that they stay so. */
const verified = new Map<string, Set<string>>();

/** Checks the invariants of money, and verifies the proofs of every intent that has changed since the last check. */
export async function checkBooks(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, text] of Object.entries(INVARIANTS)) {
      const { rows } = await client.query(text);
      expect(rows, name).toEqual([]);
    }
    const seen = verified.get(url) ?? new Set();
    verified.set(url, seen);
    const { rows } = await client.query<{ version: string; body: string }>(
      `select version, body from (
        select concat_ws(' ', c.ledger_id, c.luid, c.change) as version, c.body from change c
        join record r on r.ledger_id = c.ledger_id and r.luid = c.luid and r.change = c.change where r.kind = 'intent'
      ) latest where version <> all ($1)`,
      [[...seen]],
    );
    for (const { version, body } of rows) {
      const { hash, meta } = JSON.parse(body);
      for (const proof of meta.proofs) expect(verifyProof(hash, proof, native), body).toBe(true);
      seen.add(version);
    }
  } finally {
    await client.end();
  }
}
