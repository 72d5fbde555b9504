import { decodeBase64, type JsonObject } from '@countersign/protocol';
import {
  type Checkpoint,
  checkProofFile,
  commitmentOf,
  entryOf,
  formatEntriesPath,
  formatTilePath,
  formatVkey,
  hashesAt,
  leafHash,
  type NoteKey,
  noteKey,
  openCheckpoint,
  parseBundle,
  parsePolicy,
  TILE_WIDTH,
} from '@countersign/protocol/log';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { sha256 } from '../../src/base/sha256.js';
import { systemKeyOf, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';

/** A log as an outsider reads it: by its address, and with the key of the ledger's `system`. */
export class LogReader {
  private constructor(
    readonly base: string,
    /** Luid of the ledger. */
    readonly ledger: string,
    readonly key: NoteKey,
  ) {}

  /** The log of the client's ledger. */
  static async of(client: TestClient, headers?: Record<string, string>): Promise<LogReader> {
    const { luid } = (await client.get('/ledger', headers)).body;
    const base = client.url.replace(/\/v2$/, `/log/${luid.slice(1)}`);
    const key = noteKey(base.replace('http://', ''), 'note', decodeBase64(systemKeyOf(client))!);
    return new LogReader(base, luid, key);
  }

  /** The same log, served at another address. */
  at(url: string): LogReader {
    return new LogReader(new URL(new URL(this.base).pathname, url).href, this.ledger, this.key);
  }

  /** A request without anything that tells of the ledger but its path. */
  get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    return fetch(`${this.base}/${path}`, { method, headers });
  }

  async bytes(path: string): Promise<Uint8Array> {
    const answer = await this.get(path);
    expect(answer.status, path).toBe(200);
    return new Uint8Array(await answer.arrayBuffer());
  }

  /** The newest checkpoint, verified. */
  async checkpoint(): Promise<Checkpoint> {
    return openCheckpoint(await this.bytes('checkpoint'), [this.key], native).checkpoint;
  }

  /** The hashes of all leaves of a tree, made of its entries. */
  async leaves(size: number): Promise<Uint8Array[]> {
    const leaves: Uint8Array[] = [];
    for (let index = 0; index * TILE_WIDTH < size; index += 1) {
      const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
      const bundle = parseBundle(await this.bytes(`tile/${formatEntriesPath({ index, width })}`));
      expect(bundle.length).toBe(width);
      leaves.push(...bundle.map((entry) => leafHash(entry, sha256)));
    }
    return leaves;
  }

  /** The hashes of a level of a tree, read from its tiles. */
  async hashes(level: number, size: number): Promise<Buffer> {
    const count = hashesAt(level, size);
    const tiles: Uint8Array[] = [];
    for (let index = 0; index * TILE_WIDTH < count; index += 1) {
      const width = Math.min(TILE_WIDTH, count - index * TILE_WIDTH);
      tiles.push(await this.bytes(`tile/${formatTilePath({ level, index, width })}`));
    }
    return Buffer.concat(tiles);
  }

  /** Checks a proof file of a version of a record, as whoever holds both can do offline. @returns index of the leaf */
  check(file: string, kind: string, version: { luid: string; change: number; action: string; text: string }): number {
    const [, extra = ''] = /^extra (.*)$/m.exec(file) ?? [];
    const salt = decodeBase64(extra)!;
    const entry = entryOf(commitmentOf({ salt, ledger: this.ledger, kind, ...version }, sha256));
    const policy = parsePolicy(`log ${formatVkey(this.key)}\nquorum none\n`);
    return checkProofFile(file, entry, policy, native).index;
  }
}

/** The answer with the proof of a change, once it is sealed. */
export function inclusionOf(client: TestClient, path: string, change: number): Promise<JsonObject> {
  return eventually(async () => {
    const answer = await client.get(`${path}/changes/${change}/inclusion`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  });
}

/** Waits until the ledger has nothing to seal. @returns its state */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers
export function allSealed(client: TestClient, headers?: Record<string, string>): Promise<any> {
  return eventually(() => expectSealed(client, headers));
}

/** @returns the state of its log */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers
export async function expectSealed(client: TestClient, headers?: Record<string, string>): Promise<any> {
  const { body } = await client.get('/ledger/log', headers);
  expect(body.data.unsealed).toEqual({ count: 0, age: 0, before: false });
  expect(body.data.size).toBeGreaterThan(0);
  return body.data;
}
