import { hash as hashOf, type JsonObject, type RecordEnvelope } from '@countersign/protocol';
import pg from 'pg';
import { expect } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import type { TestAnswer, TestClient } from '../support/client.js';

/** How far whoever alters a row goes: `sly` makes the hash anew, `slyer` takes the authentication code away as well. */
export type Effort = 'careless' | 'sly' | 'slyer';

export const EFFORTS: readonly Effort[] = ['careless', 'sly', 'slyer'];

/** Someone who may do anything to the tables, and has not the master key. */
export class Intruder {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @param url of the database, for a role that may switch triggers off */
  static async at(url: string): Promise<Intruder> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('set session_replication_role = replica');
    return new Intruder(client);
  }

  async run(text: string, ...values: unknown[]): Promise<pg.QueryResultRow[]> {
    const { rows, rowCount } = await this.#client.query(text, values);
    if (rowCount === 0) throw new Error(`Nothing was altered by: ${text}`);
    return rows;
  }

  /** Alters the data of a stored version. */
  async alter(luid: string, alteration: (data: JsonObject) => JsonObject, effort: Effort = 'sly', change = 1) {
    await this.alterText(luid, change, (text) => {
      const record = JSON.parse(text) as RecordEnvelope;
      const data = alteration(record.data);
      const hash = effort === 'careless' ? record.hash : hashOf(data, native);
      return JSON.stringify({ hash, data, luid: record.luid, meta: record.meta });
    });
    if (effort === 'slyer') await this.forgetCode(luid);
  }

  /** The number of the newest version: an intent that is settled has several. */
  async newest(luid: string): Promise<number> {
    const [row] = await this.run('select max(change) as newest from change where luid = $1', luid);
    return row?.newest;
  }

  async alterText(luid: string, change: number, alteration: (text: string) => string): Promise<void> {
    const [row] = await this.run('select body from version where luid = $1 and change = $2', luid, change);
    const text = alteration(row?.body);
    await this.run('update change set body = $3, cut = null where luid = $1 and change = $2', luid, change, text);
  }

  /** As if an earlier release had stored it, which made no authentication codes. */
  async forgetCode(luid: string): Promise<void> {
    await this.run('update change set mac = null where luid = $1', luid);
  }

  leave(): Promise<void> {
    return this.#client.end();
  }
}

/** The same client, at the second of two servers, which has nothing in memory. */
export function atSecond([, { url }]: readonly [unknown, { readonly url: string }], client: TestClient): TestClient {
  return Object.assign(Object.create(Object.getPrototypeOf(client)), client, { url });
}

export function expectRefused(answer: TestAnswer): void {
  expect(answer.status, answer.text).toBe(500);
  expect(answer.body.data).toEqual({ reason: 'api.unexpected-error', detail: 'Unexpected server error' });
}
