import pg from 'pg';
import { expect, it } from 'vitest';
import { readSql } from '../../src/store/sql.js';
import { newKey, newLedger, proofOver, signed, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withOwnServer();

/** Takes back what the migrations made that are tested here, so that they run again on the history there is. */
const UNDONE = `
drop table used_proof, taken_key;
alter table record drop column link_proven, drop column link_since;
${readSql('migrations/0004-dropped-records')}
`;

/** The order in which the records that have a key stand for it. */
const ORDER = `
select l.handle as ledger, r.link, r.handle, r.kind, r.link_proven,
  row_number() over (partition by r.ledger_id, r.link order by r.link_proven desc, coalesce(r.link_since, r.seq)) as place
from record r join ledger l on l.id = r.ledger_id
where r.kind in ('signer', 'signer-factor') and r.link is not null order by 1, 2, 6`;
const USED = 'select ledger_id, digest, luid from used_proof order by 1, 2';
const TAKEN = 'select ledger_id, public from taken_key order by 1, 2';

function signer(client: TestClient, handle: string, key: TestKey, by?: TestKey) {
  const body = signed({ handle, public: key.public, format: 'ed25519-raw' }, client.key);
  if (by) body.meta.proofs.push(proofOver(body.hash, by));
  return client.call('POST', '/signers', body);
}

it('a database of an earlier release comes to hold what it would have noted', async () => {
  const client = await newLedger(server.current.url);
  const shared = newKey();
  // Proofs of every operation, of a dropped record, and some whose custom data and data hold what looks like a proof.
  const odd = { public: shared.public, digest: 'x', note: 'é "\\" \\u0000 \\n', proofs: [{ public: shared.public }] };
  const wallet = await stored(client, 'wallet', { handle: 'w', custom: odd });
  ok(await client.prove('/wallets/w', wallet, { ...odd, status: 'active' }));
  const updated = ok(await client.update('/wallets/w', wallet, { handle: 'w', custom: odd })).body;
  ok(await client.drop('/wallets/w', updated, 'a "reason"\n'));
  // One that took the key late, one that proved it, one that gave it up and took it again.
  const late = ok(await signer(client, 'late', newKey())).body;
  const first = ok(await signer(client, 'first', shared)).body;
  ok(await signer(client, 'proved', shared, shared));
  const again = ok(await signer(client, 'again', shared, shared)).body;
  const renewed = (handle: string, { public: key }: TestKey) => ({ handle, public: key, format: 'ed25519-raw' });
  ok(await client.update('/signers/late', late, renewed('late', shared)));
  const without = ok(await client.update('/signers/again', again, renewed('again', newKey()))).body;
  ok(await client.update('/signers/again', without, renewed('again', shared)));
  ok(await client.update('/signers/first', first, { ...renewed('first', shared), custom: odd }));
  const factor = { handle: 'f', signer: 'first', schema: 'key-pair', format: 'ed25519-raw', public: shared.public };
  await stored(client, 'signer-factor', factor);
  const unsigned = { data: { handle: 'left' }, meta: { proofs: [{ custom: { status: 'created' } }] } };
  ok(await client.call('POST', '/wallets', unsigned, bearer(shared, { sub: 'signer:\\u0000' })));

  const database = new pg.Client({ connectionString: server.current.database.url });
  await database.connect();
  try {
    const rows = async (text: string) => (await database.query(text)).rows;
    const read = async () => [await rows(ORDER), await rows(USED), await rows(TAKEN)];
    const before = await read();
    const order = before[0]!.filter(({ link }) => link === shared.public).map(({ handle }) => handle);
    expect(order).toEqual(['proved', 'first', 'late', 'again', 'f']);
    await database.query(UNDONE);
    await database.query(
      `begin; ${readSql('migrations/0005-used-proofs')} ${readSql('migrations/0006-key-order')} commit`,
    );
    const after = await read();
    // A key that nobody has any more is not known of, nor need it be.
    const held = new Set(after[2]!.map(({ public: key }) => key));
    expect(after).toEqual([before[0], before[1], before[2]!.filter(({ public: key }) => held.has(key))]);
    expect(held).toContain(shared.public);
  } finally {
    await database.end();
  }
});
