import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { type Route, recordRoutes } from '../../src/http/routes.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { dropped, erase, erasingLedger, erasureOf, MAY_ERASE, SECRET_NAME } from '../erasure/support.js';
import { expectRefusal } from '../support/checks.js';
import { newKey, newLedger, signed, type TestAnswer, type TestClient } from '../support/client.js';
import { createBody, make, requestsOn, type Scene, seen, setScene, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

/** In every record of the neighbour, and nowhere else. */
const MARK = 'only-the-neighbour-says-this';

/** The routes about one record, which is named by its id. Nothing is found at an address that leads to nothing. */
const byId = recordRoutes().filter(({ path, of }) => path.includes('/:id') && of === 'record');

/** A luid of the kind that no record has. */
const nobody = ({ kind }: Scene) => `$${kind.prefix}.-NoRecordHasThis0`;

const server = withServer();

describe.each(kinds.filter(({ name }) => byId.some(({ kind }) => kind.name === name)))('$name', ({ name }) => {
  const routes = byId.filter(({ kind }) => kind.name === name);

  /** The record of a neighbour, and another ledger with a record of the same kind, handle and data. */
  async function neighbours(): Promise<{ own: Scene; of: Scene; theirs: RecordEnvelope }> {
    const own = await setScene(server.current.url, name);
    const scene = await setScene(server.current.url, name, { key: newKey() });
    const of = { ...scene, data: { ...scene.data, custom: { mark: MARK } } };
    await make(own);
    return { own, of, theirs: await make(of) };
  }

  /** Every request about a record by its id, each as valid as it can be. */
  function requests(of: Scene, record: RecordEnvelope, id: string) {
    const bodies = new Map(
      requestsOn(of, record).map(({ method, operation, body }) => [`${method} ${operation}`, body as object]),
    );
    const erasure = { luid: record.luid, change: 2, reason: MARK };
    bodies.set('POST erase', signed(erasure, of.client.key, { status: 'erased' }));
    for (const operation of ['retry', 'activate']) bodies.set(`POST ${operation}`, signed({}, of.client.key, {}));
    return routes.map((route) => ({
      method: route.method,
      path: filled(route, of.data, id),
      body: bodies.get(`${route.method} ${route.operation.name === 'change' ? 'changes' : route.operation.name}`),
    }));
  }

  async function ask(client: TestClient, of: Scene, record: RecordEnvelope, id: string): Promise<TestAnswer[]> {
    const answers: TestAnswer[] = [];
    for (const { method, path, body } of requests(of, record, id)) {
      answers.push(await client.call(method, path, body, bearer(of.client.key)));
    }
    return answers;
  }

  it('of another ledger is not found by any route, whoever asks, and nothing of it is said', async () => {
    const { own, of, theirs } = await neighbours();
    const before = [await seen(of), await seen(own)];
    const found = await ask(own.client, of, theirs, theirs.luid);
    const nothing = await ask(own.client, of, theirs, nobody(own));
    expect(found.length).toBeGreaterThan(1);
    for (const [index, answer] of found.entries()) {
      expectRefusal(answer, own.client, 'record.not-found', `${own.kind.missing} not found`);
      // Not even that there is such a record elsewhere.
      expect(answer.body.data).toEqual(nothing[index]?.body.data);
      for (const said of [MARK, theirs.luid, theirs.hash, of.client.key.public, of.client.ledger!]) {
        expect(answer.text).not.toContain(said);
      }
    }
    expect([await seen(of), await seen(own)]).toEqual(before);
  });

  it.runIf(kindNamed(name).lifecycle.operations.includes('drop'))(
    'of another ledger, dropped, is not erased',
    async () => {
      const own = await setScene(server.current.url, name, { access: MAY_ERASE });
      await make(own);
      const of = await erasingLedger(server.current.url);
      const theirs = await dropped(of, name, own.handle);
      expect(theirs.collection).toBe(own.collection);
      const body = erasureOf(theirs.record.luid, theirs.changes.length, own.client.key);
      const answer = await own.client.call('POST', `${theirs.path}/erase`, body);
      expectRefusal(answer, own.client, 'record.not-found', `${own.kind.missing} not found`);
      for (const said of [SECRET_NAME, theirs.record.luid, of.ledger!]) expect(answer.text).not.toContain(said);
      expect((await of.get(`${theirs.path}/changes`)).body.page.total).toBe(theirs.changes.length);
      expect((await erase(of, theirs)).status).toBe(200);
    },
  );

  it('of another ledger stays out of lists, also where a filter matches it', async () => {
    const { own, of, theirs } = await neighbours();
    const empty = await newLedger(server.current.url);
    for (const need of needsOf(own)) await stored(empty, need.kind, need.data);
    for (const client of [own.client, empty]) {
      for (const query of [
        '',
        `?data.custom.mark=${MARK}`,
        '?data.custom.mark.$regex=only',
        '?data.custom.mark.$gte=a',
      ]) {
        const list = await client.get(`${own.collection}${query}`);
        expect(list.status, list.text).toBe(200);
        expect(list.text).not.toContain(MARK);
        expect(list.text).not.toContain(theirs.luid);
      }
    }
    const theirsListed = await of.client.get(`${of.collection}?data.custom.mark=${MARK}`);
    expect(theirsListed.body.data.map(({ luid }: RecordEnvelope) => luid)).toEqual([theirs.luid]);
  });

  it('is made anew, as its own, from a body that was signed for another ledger', async () => {
    const { of, theirs } = await neighbours();
    const third = await setScene(server.current.url, name);
    const answer = await third.client.call('POST', third.collection, createBody(of));
    expect(answer.status, answer.text).toBe(third.kind.trail.answer ?? 201);
    const made: RecordEnvelope = answer.body;
    expect(made.hash).toBe(theirs.hash);
    expect(made.luid).not.toBe(theirs.luid);
    expect(made.meta.proofs.at(-1)?.public).not.toBe(theirs.meta.proofs.at(-1)?.public);
    const now: RecordEnvelope = (await of.client.get(of.path)).body;
    if (!of.kind.lifecycle.isProcessed) expect(now).toEqual(theirs);
    else expect(now.meta.proofs.slice(0, 3)).toEqual(theirs.meta.proofs);
  });
});

/** What the data of the scene names in its own ledger, as far as paths go through it. */
function needsOf({ kind, data }: Scene): { kind: 'signer' | 'circle'; data: JsonObject }[] {
  if (kind.links.under?.kind === 'signer') {
    return [{ kind: 'signer', data: { handle: String(data.signer), public: newKey().public, format: 'ed25519-raw' } }];
  }
  return kind.links.under?.kind === 'circle' ? [{ kind: 'circle', data: { handle: String(data.circle) } }] : [];
}

function filled({ path, kind }: Route, data: JsonObject, id: string): string {
  const parent = String(data[kind.links.under?.member ?? '']);
  return path
    .replace(':parent', parent)
    .replace(':id', id)
    .replace(':change', '1')
    .replace(':event', '0123456789abcdefg')
    .replace(':asset', 'a');
}
