import pg from 'pg';
import { expect, it } from 'vitest';
import { readSql } from '../../src/store/sql.js';
import { newLedger } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withOwnServer } from '../support/server.js';

const server = withOwnServer();

it('records of an older release are found by what filters did not know then', async () => {
  const client = await newLedger(server.current.url);
  const claims = [
    { action: 'issue', target: 'carol', symbol: { handle: 'gbp' }, amount: 30 },
    { action: 'transfer', source: { handle: 'ann' }, target: 'dave', symbol: 'gbp', amount: 31 },
  ];
  await stored(client, 'intent', { handle: 'i', claims });
  await stored(client, 'circle', { handle: 'desk' });
  await stored(client, 'circle-signer', { circle: 'desk', signer: 'system' });
  const database = new pg.Client({ connectionString: server.current.database.url });
  await database.connect();
  const documents = async () =>
    (await database.query(`select document from record where kind in ('intent', 'circle-signer') order by seq`)).rows;
  const made = await documents();
  // As an older release has left it.
  await database.query('alter table record drop column judged');
  await database.query(`
    update record r set document = (
      select jsonb_build_object(outer_key, (
        select jsonb_object_agg(path, found) from jsonb_each(inner_document) as d(path, found)
        where path <> 'data.signer' and path not in (
          'data.claims.target.handle', 'data.claims.0.target.handle', 'data.claims.1.target.handle',
          'data.claims.1.symbol.handle')))
      from jsonb_each(r.document) as o(outer_key, inner_document))
    where kind in ('intent', 'circle-signer')`);
  expect(await documents()).not.toEqual(made);
  expect(ok(await client.get('/intents?data.claims.target.handle=carol')).body.data).toHaveLength(0);
  await database.query(readSql('migrations/0008-answers'));
  await database.end();
  expect(ok(await client.get('/intents?data.claims.target.handle=carol')).body.data).toHaveLength(1);
  expect(ok(await client.get('/intents?data.claims.1.symbol.handle=gbp')).body.data).toHaveLength(1);
  expect(ok(await client.get('/circles/desk/signers?data.signer=system')).body.data).toHaveLength(1);
});
