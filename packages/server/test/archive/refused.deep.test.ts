import { NotAnExport } from '@countersign/verifier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportOptions } from '../../src/archive/archive.js';
import { MoneyScene, transfer } from '../money/scene.js';
import { TestClient } from '../support/client.js';
import { type RunningServer, startServer } from '../support/server.js';
import { exported, imported, linesOf, sealedAnew, verified, withPool } from './support.js';

const PASSPHRASE = 'correct horse';

let from: RunningServer;
let into: RunningServer;
let scene: MoneyScene;
let text: string;

beforeAll(async () => {
  from = await startServer();
  into = await startServer();
  scene = await MoneyScene.make(from.url, ['alice', 'bob']);
  await scene.issue('alice', 100);
  await scene.done([transfer('alice', 'bob', 30)]);
  text = await exported(from, scene.client.ledger!, { passphrase: PASSPHRASE });
});
afterAll(async () => {
  await from.stop();
  await into.stop();
});

/** What is found in the file with other lines, when its last line is that of the original, and when it is made anew. */
function foundIn(alter: (lines: string[]) => string[]): { careless: string[]; sly: string[] } {
  const altered = `${alter(text.trimEnd().split('\n')).join('\n')}\n`;
  return { careless: verified(altered).told, sly: verified(sealedAnew(altered)).told };
}

/** Whether the ledger is in the database that was imported into, or any row of it. */
async function isThere(): Promise<boolean> {
  const { status } = await new TestClient(into.url, scene.client.key, scene.client.ledger).get('/ledger');
  const rows = await withPool(into, async (pool) => (await pool.query('select from change')).rowCount);
  return status !== 404 || rows !== 0;
}

const lineOf = (sort: string) => (line: string) => line.startsWith(`{"line":"${sort}"`);

describe('a file that is not as it was written (export)', () => {
  it('is found when it was cut off, at whatever line', () => {
    const lines = text.trimEnd().split('\n');
    for (let kept = 1; kept < lines.length; kept += 7) {
      expect(verified(`${lines.slice(0, kept).join('\n')}\n`).told.join()).toContain('the file was cut off');
    }
  });

  it('is found when it was cut off within a line', () => {
    expect(verified(text.slice(0, 5_000)).told.join()).toContain('is not JSON');
  });

  it('is found when lines were swapped', () => {
    const swap = (lines: string[]) => {
      const isSigner = (line: string) => line.includes('"kind":"signer"');
      const at = lines.findIndex(isSigner);
      const other = lines.findLastIndex(isSigner);
      return lines.with(at, lines[other]!).with(other, lines[at]!);
    };
    const { careless, sly } = foundIn(swap);
    expect(careless.join()).toContain('altered after it was written');
    expect(sly.join()).toContain('records are out of order');
  });

  it('is found when a version was taken out', () => {
    const takeOut = (lines: string[]) => lines.toSpliced(lines.findLastIndex(lineOf('change')), 1);
    const { careless, sly } = foundIn(takeOut);
    expect(careless.join()).toContain('altered after it was written');
    expect(sly.join()).toContain('the first line promises');
  });

  it('is found when a whole record was taken out, and the first line made to fit', () => {
    const luid = (line: string) => JSON.parse(line).luid as string;
    const takeOut = (lines: string[]) => {
      const wallet = luid(lines.find((line) => line.includes('"kind":"wallet"'))!);
      const left = lines.filter((line) => !(/"line":"(change|current)"/.test(line) && luid(line) === wallet));
      const { changes, ...header } = JSON.parse(left[0]!);
      return left.with(0, JSON.stringify({ ...header, changes: changes - 1 }));
    };
    // It had money, so the rest tells. Of a record that nothing names nobody could tell.
    expect(foundIn(takeOut).sly.join()).toContain('is not a wallet of the ledger');
  });

  it('is found when a line was doubled', () => {
    const double = (lines: string[]) =>
      lines.toSpliced(lines.findIndex(lineOf('change')), 0, lines.find(lineOf('change'))!);
    expect(foundIn(double).sly.join()).toContain('versions are missing, or not in order');
    const entry = (lines: string[]) =>
      lines.toSpliced(lines.findIndex(lineOf('entry')), 0, lines.find(lineOf('entry'))!);
    expect(foundIn(entry).sly.join()).toContain('is movement 1 of usd');
  });

  it('is found when a version was forged by a client who has no key of the ledger', () => {
    const forge = (lines: string[]) => {
      const at = lines.findIndex((line) => line.includes('"kind":"wallet"'));
      const line = JSON.parse(lines[at]!);
      const record = JSON.parse(line.text);
      record.meta.proofs = record.meta.proofs.slice(0, 1);
      return lines.with(at, JSON.stringify({ ...line, text: JSON.stringify(record) }));
    };
    expect(foundIn(forge).sly.join()).toContain('has no proof of its ledger that names the record');
  });

  it('is found when a balance, a movement or a limit was altered', () => {
    const more = (sort: string, member: string) => (lines: string[]) => {
      const at = lines.findIndex(lineOf(sort));
      return lines.with(at, lines[at]!.replace(new RegExp(`"${member}":(-?\\d+)`), `"${member}":999`));
    };
    expect(foundIn(more('balance', 'amount')).sly.join()).toContain('where the proofs of intents give');
    expect(foundIn(more('entry', 'availableBy')).sly.join()).toContain('where its proofs tell');
  });

  it('is no export when its first line is another', () => {
    expect(() => verified('{"line":"change"}\n')).toThrow(NotAnExport);
    expect(() => verified('')).toThrow(NotAnExport);
    expect(() => verified(text.replace('"version":1', '"version":2'))).toThrow('this release reads version 1');
  });

  it('is found to be of another ledger than the key that was noted', () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(verified(text, key).told.join()).toContain(`and not ${key}`);
    expect(verified(text, JSON.parse(text.split('\n')[0]!).keys.system).told).toEqual([]);
  });
});

describe('an import that is refused (export#import)', () => {
  it('stores nothing of a file with findings', async () => {
    const altered = text
      .replace('"handle":"bob"', '"handle":"bib"')
      .replace('\\"handle\\":\\"bob\\"', '\\"handle\\":\\"bib\\"');
    await expect(imported(into, altered, { passphrase: PASSPHRASE })).rejects.toThrow('Nothing was stored.');
    expect(await isThere()).toBe(false);
  });

  it('stores nothing with another passphrase, or none', async () => {
    await expect(imported(into, text, { passphrase: 'wrong horse' })).rejects.toThrow(
      'The passphrase is not the one that the export was sealed with.',
    );
    await expect(imported(into, text)).rejects.toThrow('their passphrase is needed');
    expect(await isThere()).toBe(false);
  });

  /** What exports ask for. */
  const USUAL = { n: 131_072, r: 8, p: 1 };

  it('is over at once for a file that asks for more work than exports do', async () => {
    const asking = (members: object) => {
      const { secrets, ...header } = JSON.parse(text.split('\n')[0]!);
      const first = JSON.stringify({ ...header, secrets: { ...secrets, ...USUAL, ...members } });
      return imported(into, sealedAnew([first, ...text.split('\n').slice(1)].join('\n')), { passphrase: PASSPHRASE });
    };
    for (const members of [{ p: 2 }, { r: 9 }, { n: 262_144 }, { n: 1_048_576, p: 16 }, { p: 0 }])
      await expect(asking(members)).rejects.toThrow('sealed in a way that this release does not know');
  });

  it('stores nothing without the keys of the ledger', async () => {
    const plain = await exported(from, scene.client.ledger!);
    expect(verified(plain).told).toEqual([]);
    await expect(imported(into, plain)).rejects.toThrow("without the ledger's private keys");
    expect(await isThere()).toBe(false);
  });

  it('is over by its first line, where that tells', async () => {
    const plain = await exported(from, scene.client.ledger!);
    const refusals: [RunningServer, string, Partial<ImportOptions>, string][] = [
      [into, plain, {}, "without the ledger's private keys"],
      [into, text, { passphrase: 'another' }, 'The passphrase is not the one'],
      [from, text, { passphrase: PASSPHRASE }, 'has the ledger'],
    ];
    for (const [server, file, options, detail] of refusals) {
      let read = 0;
      async function* lines() {
        for await (const line of linesOf(file)) {
          read += 1;
          yield line;
        }
      }
      await expect(imported(server, file, { ...options, lines })).rejects.toThrow(detail);
      expect(read).toBe(1);
    }
  });

  it('stores nothing of a ledger that is named as none can be', async () => {
    const { ledger } = JSON.parse(text.split('\n')[0]!);
    const names = [
      { ...ledger, handle: `$ldg.${'A'.repeat(17)}` },
      { ...ledger, handle: 'a'.repeat(10_000) },
      { ...ledger, luid: 'other' },
      { ...ledger, luid: ledger.luid.replace('ldg', 'wlt') },
    ];
    for (const name of names) {
      const named = sealedAnew(text.replace(JSON.stringify(ledger), JSON.stringify(name)));
      await expect(imported(into, named, { isReadOnly: true })).rejects.toThrow('a name that no ledger can have');
    }
    expect(await isThere()).toBe(false);
  });

  it('stores nothing where the ledger is', async () => {
    await expect(imported(from, text, { passphrase: PASSPHRASE })).rejects.toThrow('has the ledger');
    expect((await scene.client.get('/wallets/bob')).status).toBe(200);
  });
});

describe('a ledger whose handle is the luid of another', () => {
  it('is not reached by that luid', async () => {
    const apart = await startServer();
    try {
      const [first, second] = [await MoneyScene.make(apart.url, []), await MoneyScene.make(apart.url, [])];
      const luidOf = async ({ client }: MoneyScene) => (await client.get('/ledger')).body.luid as string;
      const [one, other] = [await luidOf(first), await luidOf(second)];
      await withPool(apart, async (pool) => {
        await pool.query('update ledger set handle = $2 where luid = $1', [one, other]);
        // So that the database finds it later.
        await pool.query(`update ledger set handle = handle || '-' where luid = $1`, [other]);
        await pool.query(`update ledger set handle = rtrim(handle, '-') where luid = $1`, [other]);
      });
      const there = new TestClient(apart.url, second.client.key, other);
      expect((await there.get('/ledger')).body.luid).toBe(other);
      expect(verified(await exported(apart, other)).summary.records).toBeGreaterThan(0);
      expect(JSON.parse((await exported(apart, other)).split('\n')[0]!).ledger.luid).toBe(other);
    } finally {
      await apart.stop();
    }
  });
});

describe('a file that names numbers of its own (export#import)', () => {
  it('leaves the order of other ledgers alone, and keeps its own', async () => {
    const apart = await startServer();
    try {
      const other = await MoneyScene.make(apart.url, ['alice']);
      const plain = (await exported(from, scene.client.ledger!)).replace(/"order":(\d+)/g, (_, order) => {
        return `"order":${Number.MAX_SAFE_INTEGER - 1_000_000 + Number(order)}`;
      });
      expect(await imported(apart, sealedAnew(plain), { isReadOnly: true })).toEqual([]);
      const greatest = `select greatest(last_value, (select max(seq) from record)) as value from record_seq_seq`;
      const drawn = await withPool(apart, async (pool) => (await pool.query(greatest)).rows[0].value);
      expect(drawn).toBeLessThan(10_000);
      const order = async (client: TestClient) =>
        ((await client.get('/wallets')).body.data as { luid: string }[]).map(({ luid }) => luid);
      const there = new TestClient(apart.url, scene.client.key, scene.client.ledger);
      expect(await order(there)).toEqual(await order(scene.client));
      await other.add(['bob']);
      expect(verified(await exported(apart, other.client.ledger!)).told).toEqual([]);
    } finally {
      await apart.stop();
    }
  });
});

describe('a ledger that is imported without its private keys (export#import)', () => {
  it('is read byte for byte, signs nothing, and refuses all writes', async () => {
    const apart = await startServer();
    try {
      const plain = await exported(from, scene.client.ledger!);
      expect(await imported(apart, plain, { isReadOnly: true })).toEqual([]);
      const there = new TestClient(apart.url, scene.client.key, scene.client.ledger);
      for (const path of ['/wallets/alice', '/ledger', '/wallets/alice/changes/1'])
        expect((await there.get(path)).text).toBe((await scene.client.get(path)).text);
      const list = await there.get('/wallets');
      expect([list.status, list.body.data.length, list.body.meta.proofs]).toEqual([200, 2, []]);
      const wallet = (await there.get('/wallets/alice')).body;
      const refused = [
        await there.create('/wallets', { handle: 'new' }),
        await there.update('/wallets/alice', wallet, { handle: 'alice', custom: { a: 1 } }),
        await there.prove('/wallets/alice', wallet, { status: 'active' }),
        await there.drop('/wallets/bob', (await there.get('/wallets/bob')).body),
        await there.create('/intents', { handle: 'i-new', claims: [transfer('alice', 'bob', 1)] }),
      ];
      const detail = 'The ledger is read-only on this server: it was imported without its private keys.';
      const drops = 'Cannot drop wallet';
      for (const { status, body } of refused) {
        expect([status, body.meta.proofs]).toEqual([422, []]);
        if (!body.data.detail.startsWith(drops)) expect(body.data).toEqual({ reason: 'record.invalid', detail });
      }
      expect((await there.get('/wallets/alice')).text).toBe((await scene.client.get('/wallets/alice')).text);
      expect(verified(await exported(apart, scene.client.ledger!)).told).toEqual([]);
    } finally {
      await apart.stop();
    }
  });
});
