import type { JsonObject } from '@countersign/protocol';
import {
  formatEntriesPath,
  formatTilePath,
  formatVkey,
  hashesAt,
  parseVkey,
  rootOf,
  TILE_WIDTH,
} from '@countersign/protocol/log';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/base/sha256.js';
import { logLimits } from '../../src/log/log-limits.js';
import { query } from '../events/support.js';
import { exchange, requestText } from '../http/raw.js';
import { issue, MoneyScene } from '../money/scene.js';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import '../support/seed.js';
import { withServer } from '../support/server.js';
import { allSealed, LogReader } from './reading.js';

const open = { config: { log: 'open' } };

/** Status, and the reason and detail of an error. */
async function refusal(answer: Response): Promise<unknown[]> {
  const { data } = (await answer.json()) as { data: JsonObject };
  return [answer.status, data.reason, data.detail];
}

const NO_ROUTE = [404, 'api.route-not-found', 'Route not found'];

describe('the routes of a log', () => {
  const server = withServer();
  let reader: LogReader;
  let client: TestClient;
  let size: number;

  beforeAll(async () => {
    const money = await MoneyScene.make(server.current.url, ['alice', 'bob'], open);
    client = money.client;
    for (let round = 0; round < 6; round += 1)
      await Promise.all(Array.from({ length: 25 }, () => money.send([issue('alice', 1)])));
    ({ size } = await allSealed(client));
    reader = await LogReader.of(client);
  });

  it('serve a checkpoint that the key of the ledger signed, for a second', async () => {
    expect((await reader.checkpoint()).size).toBe(size);
    const answer = await reader.get('checkpoint');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=1');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const etag = answer.headers.get('etag')!;
    const again = await reader.get('checkpoint', { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  it('look again for leaves that another process may have shown, and not for any number', async () => {
    const { client } = await MoneyScene.make(server.current.url, ['alice'], open);
    const { size } = await allSealed(client);
    const own = await LogReader.of(client);
    // A look finds the log stopped; what is remembered of the last second does not.
    const stop = (why: string | null) =>
      query(server.current, 'update log set stopped = $1 where ledger_id = (select id from ledger where handle = $2)', [
        why,
        client.ledger,
      ]);
    const far = size * 2 + logLimits.grown;
    const tile = (leaves: number) =>
      formatTilePath({ level: 0, index: Math.floor(leaves / TILE_WIDTH), width: leaves % TILE_WIDTH });
    const sent = async (path: string) => (await own.get(`tile/${path}`)).status;
    const between = (from: number) =>
      client.get(`/ledger/log/consistency?from=1&to=${from}`).then(({ status }) => status);
    await eventually(async () => {
      await stop(null);
      expect((await own.get('checkpoint')).status).toBe(200);
      await stop('by the test');
      expect([await sent(tile(far + TILE_WIDTH + 1)), await between(far + 1)]).toEqual([404, 400]);
      expect([await sent(tile(size + 1)), await between(far)]).toEqual([503, 503]);
    });
    await stop(null);
  });

  it('serve the key', async () => {
    const [line, ...more] = (await (await reader.get('vkeys')).text()).split('\n');
    expect(more).toEqual(['']);
    expect(line).toBe(formatVkey(reader.key));
    expect(parseVkey(line!).name).toBe(reader.key.name);
  });

  it('serve entries and tiles of which the whole tree can be made again', async () => {
    expect(size).toBeGreaterThan(2 * TILE_WIDTH);
    const { root } = await reader.checkpoint();
    let level = await reader.leaves(size);
    expect(Buffer.from(rootOf(level, sha256)).equals(root)).toBe(true);
    for (let at = 0; hashesAt(at, size) > 0; at += 1) {
      expect(Buffer.concat(level).equals(await reader.hashes(at, size))).toBe(true);
      level = Array.from({ length: hashesAt(at + 1, size) }, (_, tile) =>
        rootOf(level.slice(tile * TILE_WIDTH, (tile + 1) * TILE_WIDTH), sha256),
      );
    }
  });

  it('serve each partial tile as the beginning of the full one, and none that is not in the tree', async () => {
    for (const [format, bytesEach] of [
      [(tile: { index: number; width: number }) => formatTilePath({ level: 0, ...tile }), 32],
      [formatEntriesPath, 35],
    ] as const) {
      const full = await reader.bytes(`tile/${format({ index: 0, width: TILE_WIDTH })}`);
      expect(full.length).toBe(bytesEach * TILE_WIDTH);
      for (const width of [1, 2, 128, 255]) {
        const part = await reader.bytes(`tile/${format({ index: 0, width })}`);
        expect(part).toEqual(full.slice(0, width * bytesEach));
      }
      const index = Math.floor(size / TILE_WIDTH);
      const rest = size % TILE_WIDTH;
      await reader.bytes(`tile/${format({ index, width: rest })}`);
      for (const beyond of [
        { index, width: rest + 1 },
        { index, width: TILE_WIDTH },
        { index: index + 1, width: 1 },
        { index: 2 ** 43, width: 256 },
      ])
        expect(await refusal(await reader.get(`tile/${format(beyond)}`))).toEqual(NO_ROUTE);
    }
    for (const level of [1, 2, 5])
      expect(await refusal(await reader.get(`tile/${formatTilePath({ level, index: 0, width: TILE_WIDTH })}`))).toEqual(
        NO_ROUTE,
      );
  });

  it('let tiles be kept for good', async () => {
    for (const path of ['tile/0/000', 'tile/0/000.p/7', 'tile/entries/000', 'tile/1/000.p/2']) {
      const answer = await reader.get(path);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('content-type')).toBe('application/octet-stream');
      const etag = answer.headers.get('etag')!;
      expect((await reader.get(path, { 'if-none-match': etag })).status).toBe(304);
      const head = await reader.get(path, {}, 'HEAD');
      expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
        200,
        etag,
        String((await answer.arrayBuffer()).byteLength),
      ]);
    }
  });

  it('have one path for each thing', async () => {
    for (const path of [
      '',
      'Checkpoint',
      'checkpoint/x',
      'tile',
      'tile/',
      'tile/0',
      'tile/0/0',
      'tile/0/000.p/256',
      'tile/0/000.p/0',
      'tile/0/x000/000',
      'tile/6/000',
      'tile/%30/000',
      'tile/entries',
      'tile/entries/0',
      '1/checkpoint',
      '2/checkpoint',
      '2/tile/0/000',
      'tile/0/000/../000.p/1x',
    ])
      expect(await refusal(await reader.get(path)), path).toEqual(NO_ROUTE);
    for (const id of [
      '$ldg.AAAAAAAAAAAAAAAAA',
      'ldg.AAAAAAAAAAAAAAAAA',
      client.ledger,
      'ldg.',
      'wlt.AAAAAAAAAAAAAAAAA',
    ])
      expect(await refusal(await fetch(reader.base.replace(/ldg\..*/, `${id}/checkpoint`))), id).toEqual(NO_ROUTE);
    expect(await refusal(await reader.get('checkpoint', {}, 'POST'))).toEqual(NO_ROUTE);
    expect((await reader.get('checkpoint?x=1')).status).toBe(200);
  });

  it('answer any path below /log without an error of the server', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        'tile',
        'entries',
        'checkpoint',
        'vkeys',
        '0',
        '1',
        '5',
        '000',
        'x000',
        '000.p',
        '255',
        '2',
        '..',
        '.',
        '%',
        '%00',
        '%2f',
        '%ff',
        '',
        '$ldg',
        '999',
      ),
      fc.string({ unit: 'grapheme-ascii', maxLength: 80 }).map((text) => text.replace(/[\s\r\n]/g, '')),
    );
    const { pathname } = new URL(reader.base);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(part, { maxLength: 8 }), async (isBelow, parts) => {
        const path = `${isBelow ? pathname : '/log'}/${parts.join('/')}`;
        const { status } = await exchange(server.current.url, [requestText(`GET ${path}`, {})]);
        expect(status, path).toBeLessThan(500);
      }),
      { numRuns: process.env.LONG_TESTS ? 1_000 : 50 },
    );
  });

  it('prove consistency between any two trees', async () => {
    const { data } = (await client.get(`/ledger/log/consistency?from=3&to=${size}`)).body;
    expect(data).toMatchObject({ origin: reader.key.name, from: 3, to: size });
    expect((await client.get('/ledger/log/consistency?from=3')).body.data).toEqual(data);
    for (const [query, detail] of [
      ['', 'from is missing'],
      ['?from=0', 'from must be an integer from 1 to 999999999999999'],
      ['?from=1e3', 'from must be an integer from 1 to 999999999999999'],
      ['?from=1&to=-1', 'to must be an integer from 1 to 999999999999999'],
      [`?from=1&to=${size + 1}`, `to must be at most ${size}, the leaves of the log`],
      ['?from=9&to=8', 'from must be at most 8'],
    ]) {
      const { status, body } = await client.get(`/ledger/log/consistency${query}`);
      expect([status, body.data]).toEqual([400, { reason: 'api.query-malformed', detail }]);
    }
  });
});
