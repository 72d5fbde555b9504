import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Kind, KindName, OperationName } from '../../src/kinds/kind.js';
import { kindNamed } from '../../src/kinds/registry.js';
import { examples } from '../kinds/examples.js';
import {
  dropOf,
  newLedger,
  noteLedger,
  OPEN,
  proofOver,
  signed,
  type TestAnswer,
  type TestClient,
  type TestKey,
  updateOf,
} from './client.js';

/** A record of some kind that can be made: a ledger of its own for it, with everything its data names in place. */
export interface Scene {
  readonly kind: Kind;
  /** In the ledger of the record. */
  readonly client: TestClient;
  /** Makes the record: `client`, or for the record of a ledger itself a client outside every ledger. */
  readonly maker: TestClient;
  /** Where records of the kind are made and listed. */
  readonly collection: string;
  /** The record's path, by what it is called. */
  readonly path: string;
  /** As the record is called in errors. */
  readonly handle: string;
  readonly data: JsonObject;
  /** `meta.secret` of whatever carries `data`. */
  readonly secret?: JsonObject;
}

let scenes = 0;

/**
 * Sets the scene for a record of a kind, with its example data.
 *
 * @param options `shape` of the data; `access` of the ledger, open unless given; the `key` of its founder
 */
export async function setScene(
  url: string,
  name: KindName,
  options: { shape?: 'minimal' | 'full'; access?: JsonObject[]; key?: TestKey } = {},
): Promise<Scene> {
  scenes += 1;
  const { shape = 'minimal', access = OPEN as JsonObject[], key } = options;
  const kind = kindNamed(name);
  const example = examples[name];
  const handle = name === 'ledger' ? `ledger-${process.pid}-${Date.now()}-${scenes}` : `${name}-1`;
  const data = example[shape](handle);
  const client = await newLedger(url, { access, ...(key ? { key } : {}) });
  const common = { kind, handle, ...(example.secret ? { secret: example.secret } : {}) };
  if (name === 'ledger') {
    const inside = client.in(handle);
    return { ...common, client: inside, maker: client.in(undefined), data: { ...data, access }, ...LEDGER };
  }
  for (const need of example.needs?.(handle) ?? []) await stored(client, need.kind, need.data);
  return { ...common, client, maker: client, data, collection: collectionOf(kind, data), path: pathOf(kind, data) };
}

const LEDGER = { collection: '/ledgers', path: '/ledger' };

/** Where a record with this data is made. */
export function collectionOf(kind: Kind, data: JsonObject): string {
  if (!kind.links.under) return `/${kind.path}`;
  return `/${kindNamed(kind.links.under.kind).path}/${data[kind.links.under.member]}/${kind.path}`;
}

export function pathOf(kind: Kind, data: JsonObject): string {
  return `${collectionOf(kind, data)}/${data.handle ?? data[kind.links.to?.member ?? '']}`;
}

/** Stores a record by its data alone. */
export async function stored(
  client: TestClient,
  name: KindName,
  data: JsonObject,
  secret?: JsonObject,
): Promise<RecordEnvelope> {
  const kind = kindNamed(name);
  const body = withSecret(signed(data, client.key), secret);
  return ok(await client.call('POST', collectionOf(kind, data), body)).body;
}

/** The answer, which must be a success. */
export function ok(answer: TestAnswer): TestAnswer {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}

export function withSecret<T extends { meta: object }>(body: T, secret: JsonObject | undefined): T {
  return secret ? { ...body, meta: { ...body.meta, secret } } : body;
}

/** The signed body that makes the scene's record. */
export function createBody({ data, secret, maker }: Scene) {
  return withSecret(signed(data, maker.key), secret);
}

/** Makes the scene's record. */
export async function make(scene: Scene): Promise<RecordEnvelope> {
  const answer = ok(await scene.maker.call('POST', scene.collection, createBody(scene)));
  if (scene.kind.name === 'ledger') noteLedger(answer.body);
  return answer.body;
}

/** Other data that the kind takes just as well. */
export function changed(data: JsonObject): JsonObject {
  return { ...data, custom: { changed: true } };
}

/** A request as it goes over the wire. */
export interface Sent {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
}

/** Valid requests of every operation that is about a stored record: those the kind serves. */
export function requestsOn(scene: Scene, record: RecordEnvelope, path = scene.path): Sent[] {
  return everyRequestOn(scene, record, path).filter(({ operation }) =>
    scene.kind.lifecycle.operations.includes(operation),
  );
}

/** The same, whether the kind serves them or not. */
export function everyRequestOn(scene: Scene, record: RecordEnvelope, path = scene.path): Sent[] {
  const { key } = scene.client;
  const drop = dropOf(record, key);
  return [
    { operation: 'read', method: 'GET', path },
    { operation: 'changes', method: 'GET', path: `${path}/changes` },
    { operation: 'changes', method: 'GET', path: `${path}/changes/1` },
    { operation: 'update', method: 'PUT', path, body: updateOf(record, changed(scene.data), key) },
    { operation: 'drop', method: 'DELETE', path, body: drop },
    { operation: 'drop', method: 'POST', path: `${path}/drop`, body: drop },
    ...['/proofs', ...(scene.kind.lifecycle.proofAliases ?? [])].map((end): Sent => {
      return { operation: 'proof', method: 'POST', path: path + end, body: proofOver(record.hash, key) };
    }),
    {
      operation: 'check',
      method: 'POST',
      path: `${path}/access/!check`,
      body: signed({ action: 'read' }, key),
    },
  ];
}

/** What is stored, as far as anyone can see: it must be the same after a request that is refused. */
export async function seen(scene: Scene): Promise<string[]> {
  const { client, kind, collection, path } = scene;
  const paths = [
    path,
    ...(kind.name === 'ledger' ? [] : [collection]),
    ...(kind.lifecycle.operations.includes('changes') ? [`${path}/changes`] : []),
  ];
  const answers = await Promise.all(paths.map((one) => client.get(one)));
  return answers.map(({ status, body }) => `${status} ${body.hash} ${JSON.stringify(body.data)}`);
}

/** The record as it is now: one that the ledger carries on itself has changed since it was made. */
export async function makeCurrent(scene: Scene): Promise<RecordEnvelope> {
  const record = await make(scene);
  return scene.kind.lifecycle.isProcessed ? ok(await scene.client.get(scene.path)).body : record;
}
