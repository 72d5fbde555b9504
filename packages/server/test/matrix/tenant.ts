import { randomUUID } from 'node:crypto';
import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { circleOf, everythingFor, registered } from '../access-http/support.js';
import type { Description } from '../http/description.js';
import { newKey, type TestAnswer, type TestClient, type TestKey } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { make, ok, type Scene, setScene } from '../support/scene.js';
import { bearer } from '../support/token.js';

/** Who asks. `none` has no token and signs nothing; `bad` has a token that is none. */
export const CALLERS = ['none', 'bad', 'stranger', 'reader', 'owner', 'member', 'other'] as const;
export type Caller = (typeof CALLERS)[number];

/** A closed ledger of one owner, with a record whose data holds a text nobody else may see. */
export interface Tenant {
  readonly scene: Scene;
  readonly canary: string;
  readonly keys: Readonly<Record<Caller, TestKey>>;
}

/**
 * Sets up a ledger for a record of a kind: its owner and the members of a circle may do everything in it, the reader may
 * read everything, others nothing. The record is not made yet.
 *
 * @param maker who is to make the record
 * @param other the owner of another ledger
 * @param rules of the ledger beside these
 */
export async function tenant(
  url: string,
  name: KindName,
  maker: Caller,
  other: TestKey,
  rules: readonly JsonObject[] = [],
): Promise<Tenant> {
  const [founder, reader] = [newKey(), newKey()];
  const circle = { $circle: 'staff' };
  const access: JsonObject[] = [
    ...everythingFor(founder),
    { action: 'any', record: 'any', signer: circle },
    { action: 'any', record: 'any', bearer: { $signer: circle } },
    { action: 'access', signer: { public: reader.public } },
    { action: 'read', record: 'any', bearer: { $signer: { public: reader.public } } },
    ...rules,
  ];
  const bare = await setScene(url, name, { key: founder, access });
  const canary = `canary-${randomUUID()}`;
  // A ledger has a journal: without one, its routes tell everybody so.
  const config = name === 'ledger' ? { config: { 'request.journalingEnabled': true } } : {};
  const scene: Scene = { ...bare, data: { ...bare.data, custom: { canary }, ...config } };
  // The record of a ledger is made before there can be signers in it.
  if (name === 'ledger') await make(scene);
  const member = await registered(scene.client, 'member');
  await circleOf(scene.client, 'staff', 'member');
  const keys = { none: newKey(), bad: founder, stranger: newKey(), reader, owner: founder, member, other };
  if (name !== 'ledger') await make(seenBy({ scene, canary, keys }, maker));
  return { scene, canary, keys };
}

/** The scene as a caller has it: what it builds is signed with the caller's key. */
export function seenBy({ scene, keys }: Tenant, who: Caller): Scene {
  const client = scene.client.as(keys[who]);
  return { ...scene, client, maker: scene.maker.in(client.ledger).as(keys[who]) };
}

/** The record as it is now. */
export async function current({ scene, keys }: Tenant): Promise<RecordEnvelope> {
  return ok(await scene.client.get(scene.path, bearer(keys.owner))).body;
}

/** Sends a request as a caller does: with its token, or without any. */
function send(client: TestClient, who: Caller, method: string, path: string, body?: unknown): Promise<TestAnswer> {
  const headers = { none: {}, bad: { authorization: 'Bearer a.b.c' } }[who as string] ?? bearer(client.key);
  return client.call(method, path, who === 'none' ? unsigned(body) : body, headers);
}

/** The body without any signature: what is left of a flat proof says nothing but its custom data. */
function unsigned(body: unknown): unknown {
  if (body === undefined) return undefined;
  const { meta, custom, ...rest } = body as { meta?: JsonObject; custom?: JsonObject };
  return meta ? { ...rest, meta: { ...meta, proofs: [] } } : { custom: custom ?? {} };
}

/** Sends a request as a caller does, until what it is about is sealed. Whatever is answered is as the description says. */
export async function sent(
  described: Description,
  ...[client, who, method, path, body]: Parameters<typeof send>
): Promise<TestAnswer> {
  const answer = await eventually(async () => {
    const answer = await send(client, who, method, path, body);
    if (answer.status === 404) expect(answer.headers.get('retry-after')).toBeNull();
    // A new ledger has an empty log until its first commit is sealed.
    expect(answer.text).not.toContain('to must be at most 0');
    return answer;
  });
  expect(
    described.answerErrors(method, path.replace(/\?.*$/, ''), answer.status, answer.body),
    `${method} ${path}`,
  ).toBeUndefined();
  return answer;
}
