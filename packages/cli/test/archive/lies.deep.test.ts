import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { newKey, newLedger, type TestClient } from '../../../server/test/support/client.js';
import { withOwnServer } from '../../../server/test/support/server.js';
import { sendRequest } from '../../src/wire/exchange.js';
import { Cli, withFolder } from '../support/cli.js';
import { type Lies, startLiar } from '../support/liar.js';

const running = withOwnServer();
const folder = withFolder();
const key = newKey();
let direct: TestClient;
let luid: string;
let other: string;

beforeAll(async () => {
  const access = [{ action: 'any', record: 'any' }];
  direct = await newLedger(running.current.url, { key, access });
  luid = (await direct.create('/wallets', { handle: 'shop' })).body.luid;
  other = (await direct.create('/wallets', { handle: 'other' })).body.luid;
  await direct.create('/signers', { handle: 'ada', public: key.public, format: 'ed25519-raw' });
  for (const circle of ['one', 'two']) {
    await direct.create('/circles', { handle: circle });
    await direct.create(`/circles/${circle}/signers`, { signer: 'ada', circle });
  }
});

/** What `countersign verify` says of a server that lies. */
async function verified(lies: Lies, ...args: string[]) {
  const liar = await startLiar(running.current.url, lies);
  const cli = new Cli(folder.path, { COUNTERSIGN_SERVER: liar.url, COUNTERSIGN_LEDGER: direct.ledger! });
  const { code, json } = await cli.call(['verify', ...args, '--json']);
  const { asked } = liar;
  await liar.stop();
  return { code, details: json.findings.map((one: { detail: string }) => one.detail) as string[], asked };
}

const isShop = (path: string) => /\/wallets\/(shop|\$wlt[^/]*)\/changes/.test(path);

describe('countersign verify of a server that lies (export)', () => {
  it.each([['wallets/shop'], ['luid'], ['wallets/luid']])('finds that another record answers for %s', async (named) => {
    const what = named.replace('luid', luid);
    const swapped = (path: string) => path.replace(/\/wallets\/(shop|\$wlt[^/]*)\//, '/wallets/other/');
    const { code, details } = await verified({ path: swapped }, what);
    expect(code).toBe(1);
    expect(details).toEqual([expect.stringContaining(`is answered with ${other}`)]);
  });

  it('takes the names of kinds in the singular, too', async () => {
    for (const what of [
      'wallet/shop',
      '/wallets/shop',
      'circle/one/signer/ada',
      'circle-signer/one/ada',
      'policy/intent:status',
    ]) {
      expect((await verified({}, what)).details, what).toEqual([]);
    }
    const cli = new Cli(folder.path, { COUNTERSIGN_SERVER: running.current.url, COUNTERSIGN_LEDGER: direct.ledger! });
    for (const what of ['walet/shop', 'wallet/', 'wallet/shop/signers/x', 'circle-signer/one']) {
      expect((await cli.call(['verify', what])).code, what).toBe(2);
    }
  });

  it('finds that no record answers', async () => {
    const { code, details } = await verified({ body: (b, path) => (isShop(path) ? { ...b, data: [] } : b) }, luid);
    expect([code, details]).toEqual([1, [`/wallets/${luid} is answered with no version`]]);
  });

  it('finds that a listed record is answered with another, or with a membership of another circle', async () => {
    const swapped = (path: string) => path.replace(luid, other).replace('/circles/one/signers', '/circles/two/signers');
    const { code, details } = await verified({ path: swapped });
    expect(code).toBe(1);
    expect(details).toContain(`/wallets/${luid} is answered with ${other}`);
    expect(details.join('\n')).toMatch(/\/circles\/one\/signers lists \$csn\S+, which lies below another record/);
    const named = await verified({ path: swapped }, 'circles/one/signers/ada');
    expect(named.details.join('\n')).toContain('which lies below another record');
  });

  it('finds versions of two records in one history', async () => {
    const { details } = await verified(
      {
        body: (body, path) =>
          isShop(path)
            ? {
                ...body,
                data: [{ ...body.data[0], luid: other, meta: { ...body.data[0].meta, change: 2 } }, ...body.data],
              }
            : body,
      },
      'wallets/shop',
    );
    expect(details).toEqual([`/wallets/shop is answered with versions of ${luid} and of ${other}`]);
  });

  it('ends with a server whose pages never end', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
    const full = (body: any) => ({
      ...body,
      data: Array.from({ length: 100 }, (_, at) => body.data[at % body.data.length]),
    });
    const history = await verified({ body: (body, path) => (isShop(path) ? full(body) : body) }, 'wallets/shop');
    expect([history.code, history.details]).toEqual([
      1,
      ['/wallets/shop/changes goes on with pages that bring nothing new'],
    ]);
    expect(history.asked.length).toBeLessThan(80);
    const list = await verified({ body: (body, path) => (/\/wallets\?/.test(path) ? full(body) : body) });
    expect([list.code, list.details]).toEqual([1, ['/wallets goes on with pages that bring nothing new']]);
  });

  it('reads again before it tells of what a write meanwhile may have brought about', async () => {
    let count = 0;
    const once = (body: unknown, path: string) => (isShop(path) && count++ === 0 ? { data: [] } : body);
    const liar = await startLiar(running.current.url, { body: once });
    const cli = new Cli(folder.path, { COUNTERSIGN_SERVER: liar.url, COUNTERSIGN_LEDGER: direct.ledger! });
    const { code, err } = await cli.call(['verify', 'wallet/shop']);
    expect([code, err.split('\n')[0]]).toEqual([
      0,
      'Seen in one of two readings, as happens when a write comes in between: /wallets/shop is answered with no version',
    ]);
    // A record that is dropped between its list and its history.
    let isGone = false;
    const gone = (path: string) => {
      if (!path.includes('/circles/one/signers?') || isGone) return path;
      isGone = true;
      return path.replace('/one/', '/none/');
    };
    const dropped = await verified({ path: gone });
    expect([isGone, dropped.code, dropped.details]).toEqual([true, 0, []]);
    await liar.stop();
  });

  it('tells of a hash that is wrong even once', async () => {
    let count = 0;
    const forged = (body: { data: { data: object }[] }, path: string) => {
      if (!isShop(path) || count++ > 0) return body;
      return { ...body, data: body.data.map((one) => ({ ...one, data: { ...one.data, custom: { forged: true } } })) };
    };
    const { code, details } = await verified({ body: forged }, 'wallets/shop');
    expect([code, details]).toEqual([1, expect.arrayContaining(['has another hash than its data'])]);
  });

  it('ends with a history whose numbers never fall', async () => {
    let next = 0;
    const { code, details } = await verified(
      {
        body: (body, path) => {
          if (!isShop(path)) return body;
          const [item] = body.data;
          const rising = () => ({ ...item, meta: { ...item.meta, change: ++next } });
          return { ...body, data: Array.from({ length: 100 }, rising) };
        },
      },
      'wallets/shop',
    );
    expect([code, details]).toEqual([1, ['/wallets/shop has changes whose numbers do not fall']]);
    // A page for each of two readings.
    expect(next).toBe(200);
  });

  it('waits no longer for an answer that drips', async () => {
    const dripping = createServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
    const server = new URL(`http://127.0.0.1:${(dripping.address() as AddressInfo).port}/v2`);
    await expect(sendRequest({ method: 'GET', server, path: '/', headers: [] }, 200)).rejects.toThrow(
      'no answer in time',
    );
    dripping.closeAllConnections();
    dripping.close();
  });
});
