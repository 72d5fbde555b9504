import type { ServerResponse } from 'node:http';
import type { Finding } from '@countersign/verifier';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, type TestClient } from '../../../server/test/support/client.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { Cli, withFolder } from '../support/cli.js';
import { type Lies, startLiar } from '../support/liar.js';

const running = withOwnServer();
const folder = withFolder();
const key = newKey();
const WHY = 'is refused by the server: Unexpected server error (api.unexpected-error)';
/** More than a small page, so that a refused one stands among others. */
const WALLETS = 24;
let direct: TestClient;
let database: pg.Client;
const luids: string[] = [];
/** A wallet with three versions. */
let shop: string;

beforeAll(async () => {
  direct = await newLedger(running.current.url, { key, access: [{ action: 'any', record: 'any' }] });
  for (let at = 0; at < WALLETS; at += 1)
    luids.push((await direct.create('/wallets', { handle: `wallet-${at}` })).body.luid);
  let record = (await direct.create('/wallets', { handle: 'shop' })).body;
  shop = record.luid;
  for (const tier of ['silver', 'gold'])
    record = (await direct.update('/wallets/shop', record, { handle: 'shop', custom: { tier } })).body;
  database = new pg.Client({ connectionString: running.current.database.url });
  await database.connect();
  await database.query('set session_replication_role = replica');
});
afterAll(() => database.end());

/** Alters one byte of a version while `body` runs, as who can write to the database alone. */
async function altered(versions: readonly (readonly [luid: string, change: number])[], body: () => Promise<void>) {
  const set = (text: string) =>
    Promise.all(
      versions.map((version) =>
        database.query(`update change set body = ${text} where luid = $1 and change = $2`, [...version]),
      ),
    );
  await set(`replace(body, '"handle":"', '"handle":"x')`);
  try {
    await body();
  } finally {
    await set(`replace(body, '"handle":"x', '"handle":"')`);
  }
}

/** What `countersign verify` says of the server, by way of one that counts. */
async function verified(args: readonly string[], lies: Lies = {}) {
  const between = await startLiar(running.current.url, lies);
  const cli = new Cli(folder.path, { COUNTERSIGN_SERVER: between.url, COUNTERSIGN_LEDGER: direct.ledger! });
  const { code, out, err } = await cli.call(['verify', ...args, '--json']);
  const { asked } = between;
  await between.stop();
  const told = out.startsWith('{') ? JSON.parse(out) : {};
  const {
    findings = [],
    passing,
    changes,
  } = told as { [name in 'findings' | 'passing']?: object[] } & { changes?: number };
  return { code, findings, passing, changes, asked, err, out };
}

describe('countersign verify of a server whose database was altered (export#what-is-verified)', () => {
  it('names record and change of an older version, and verifies the others', async () => {
    const whole = await verified([]);
    expect([whole.code, whole.findings]).toEqual([0, []]);
    await altered([[shop, 2]], async () => {
      const finding = { kind: 'wallet', luid: shop, change: 2, rule: 'file', detail: WHY };
      const all = await verified([]);
      expect([all.code, all.findings, all.changes]).toEqual([1, [finding], whole.changes! - 1]);
      const named = await verified(['wallet/shop']);
      expect([named.code, named.findings]).toEqual([1, [finding]]);
      const cli = new Cli(folder.path, {
        COUNTERSIGN_SERVER: running.current.url,
        COUNTERSIGN_LEDGER: direct.ledger!,
      });
      expect((await cli.call(['verify', shop])).out).toContain(`✗ change 2 of wallet ${shop}: ${WHY}`);
    });
  });

  it('names record and change of the newest version, where the record is named by its handle', async () => {
    await altered([[shop, 3]], async () => {
      const { code, findings, changes } = await verified(['wallet/shop']);
      const finding = { kind: 'wallet', luid: shop, change: 3, rule: 'file', detail: WHY };
      expect([code, findings]).toEqual([1, [finding]]);
      expect(changes).toBeGreaterThan(2);
      // Who names the luid is refused every version with the newest.
      const byLuid = await verified([shop]);
      const detail = `/wallets/${shop} ${WHY}, with all its changes`;
      expect([byLuid.code, byLuid.findings]).toEqual([1, [{ kind: 'wallet', luid: shop, rule: 'file', detail }]]);
    });
  });

  it('tells of the places in a list whose records are refused, and verifies all others', async () => {
    const whole = await verified([]);
    const lost = [luids[3]!, luids[20]!].map((luid) => [luid, 1] as const);
    await altered(lost, async () => {
      const { code, findings, changes, asked } = await verified([]);
      expect(code).toBe(1);
      const details = (findings as Finding[]).map(({ detail }) => detail);
      expect(details.map((detail) => detail.replace(/\d+ that/, 'N that'))).toEqual([
        `/wallets has an item in place N that ${WHY}`,
        `/wallets has an item in place N that ${WHY}`,
        `/wallets/wallet-20 ${WHY}, with all its changes`,
        `/wallets/wallet-3 ${WHY}, with all its changes`,
      ]);
      expect(changes).toBe(whole.changes! - 2);
      // Each character of a handle takes eight requests, and a refusal a look at the ledger; two readings.
      expect(asked.length - 2 * whole.asked.length).toBeLessThan(2 * 2 * 200);
    });
    await altered([[shop, 3]], async () => {
      const { findings, changes } = await verified([]);
      expect(findings).toContainEqual({ kind: 'wallet', luid: shop, change: 3, rule: 'file', detail: WHY });
      expect(changes).toBe(whole.changes! - 1);
    });
    expect((await verified([])).findings).toEqual([]);
  });

  it('reads each version of a page that is refused, and goes on with the next page', async () => {
    let record = (await direct.create('/wallets', { handle: 'busy' })).body;
    for (let at = 0; at < 104; at += 1)
      record = (await direct.update('/wallets/busy', record, { handle: 'busy', custom: { at } })).body;
    const { luid } = record;
    const whole = await verified([luid]);
    for (const change of [104, 50, 5, 1]) {
      await altered([[luid, change]], async () => {
        const { code, findings, changes } = await verified([luid]);
        expect([code, findings]).toEqual([1, [{ kind: 'wallet', luid, change, rule: 'file', detail: WHY }]]);
        expect(changes).toBe(whole.changes! - 1);
      });
    }
  });
});

describe('countersign verify of a server that fails', () => {
  const fails = (response: ServerResponse) => {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ data: { reason: 'api.unexpected-error', detail: 'Unexpected server error', custom: {} } }),
    );
    return true;
  };

  it('tells of a list that is refused as a whole, asks for little of it, and reads all others', async () => {
    const whole = await verified([]);
    const { code, findings, asked } = await verified([], {
      alone: (path, response) => path.includes('/policies?') && fails(response),
    });
    expect(code).toBe(1);
    expect(findings).toEqual([
      { rule: 'file', detail: `/policies could not be read to its end: from place 1 on it ${WHY}` },
    ]);
    const [list, others] = [asked.filter(({ path }) => path.includes('/policies?')), whole.asked];
    expect(list.length).toBeLessThan(2 * 40);
    const isOther = ({ path }: { path: string }) => /\/(wallets|symbols|bridges)/.test(path);
    expect(asked.filter(isOther).length).toBe(2 * others.filter(isOther).length);
  });

  it('is bounded when every history and list is refused', async () => {
    const { code, findings, asked } = await verified([], {
      alone: (path, response) => /\/(changes|\w+\?)/.test(path) && fails(response),
    });
    expect([code, findings.length > 10]).toEqual([1, true]);
    expect(asked.length).toBeLessThan(2 * 2100);
  });

  it('notes what is refused once, and read the second time', async () => {
    let count = 0;
    const { code, passing } = await verified(['wallet/shop'], {
      alone: (path, response) => /wallets\/shop\/changes/.test(path) && count++ < 4 && fails(response),
    });
    const detail = `/wallets/shop ${WHY}, with all its changes`;
    expect([code, passing]).toEqual([0, [{ kind: 'wallet', rule: 'file', detail }]]);
  });

  it('ends at once with the error of a server that is down, from the start or from some request on', async () => {
    for (const from of [0, 1, 12]) {
      let count = 0;
      const { code, out, err, asked } = await verified([], {
        alone: (_, response) => {
          count += 1;
          if (count <= from) return false;
          response.writeHead(502).end('<h1>Bad Gateway</h1>');
          return true;
        },
      });
      expect([from, code]).toEqual([from, 3]);
      expect(out + err).toContain('The server answered 502, and not like a ledger server.');
      // The request, and the look whether the ledger is there.
      expect(asked.length).toBeLessThanOrEqual(from + 2);
    }
  });
});
