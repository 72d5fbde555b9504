import { hash as hashOf, type JsonObject, type RecordEnvelope, verifyProof } from '@countersign/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { withReceiver } from '../deliveries/receiver.js';
import { newLedger, OPEN, signed, type TestClient } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { subscribe } from './support.js';

const server = withServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();

// biome-ignore lint/suspicious/noExplicitAny: tests reach into deliveries of every shape
type Delivery = any;

/** Whether every proof of a delivery is over the hash that is served, and that over the data. */
function expectVerified({ hash, data, meta }: Delivery): void {
  const said = Object.fromEntries(Object.entries(data as JsonObject).filter(([, value]) => value !== null));
  expect(hash).toBe(hashOf(said, native));
  for (const proof of meta.proofs) expect(verifyProof(hash, proof, native), JSON.stringify(proof.custom)).toBe(true);
}

/** What an attempt may find, and what its proof says then. */
const FINDS = {
  missing: { detail: { reason: 'core.unexpected-error' } },
  unreachable: { reason: 'delivery.target-unreachable' },
  refusing: { detail: { httpStatus: 500 } },
  ending: { detail: { httpStatus: 501 } },
  taking: { detail: { httpStatus: 202 } },
};

type Find = keyof typeof FINDS;

/** The bridge of a ledger, which comes, goes and moves. */
class Bridge {
  readonly #client: TestClient;
  #record: RecordEnvelope | undefined;

  constructor(client: TestClient) {
    this.#client = client;
  }

  async become(find: Find): Promise<void> {
    const statuses: Partial<Record<Find, number>> = { refusing: 500, ending: 501 };
    // Until it has gone, an attempt finds what the one before has found.
    if (this.#record) await this.#go(this.#record);
    this.#record = undefined;
    receiver.instead = (_, response) => response.writeHead(statuses[find] ?? 202).end();
    if (find === 'missing') return;
    const url = find === 'unreachable' ? `http://127.0.0.1:${await freePort()}` : receiver.url;
    const data = { handle: 'post', schema: 'rest', config: { server: url }, secure: [] };
    this.#record = await stored(this.#client, 'bridge', data);
  }

  /** A bridge that effects lead to is not dropped: they lead elsewhere meanwhile. */
  async #go(record: RecordEnvelope): Promise<void> {
    const effects: RecordEnvelope[] = ok(await this.#client.get('/effects')).body.data;
    const lead = async (bridge: string) => {
      for (const { data } of effects) {
        const path = `/effects/${data.handle}`;
        const { parent: _, ...kept } = data;
        ok(await this.#client.update(path, (await this.#client.get(path)).body, { ...kept, action: { bridge } }));
      }
    };
    await lead('elsewhere');
    ok(await this.#client.drop('/bridges/post', record));
    await lead('post');
  }
}

/** Has deliveries of a creation and of a drop attempted as told, one attempt for each find at least. */
async function checkFinds(finds: readonly Find[]): Promise<void> {
  const client = await newLedger(server.current.url, { access: OPEN });
  const bridge = new Bridge(client);
  await bridge.become(finds[0]!);
  const action = { bridge: 'post' };
  for (const verb of ['created', 'dropped']) await subscribe(client, verb, `wallet-${verb}`, { action });
  ok(await client.drop('/wallets/w', await stored(client, 'wallet', { handle: 'w' })));
  for (const [step, find] of finds.entries()) {
    if (step > 0) {
      await bridge.become(find);
      for (const verb of ['created', 'dropped']) {
        ok(await client.call('POST', `/effects/${verb}/events/retry`, signed({ maxAge: 0 }, client.key, { step })));
      }
    }
    for (const verb of ['created', 'dropped']) {
      await eventually(async () => {
        const [delivery] = ok(await client.get(`/effects/${verb}/events`)).body.data;
        const last = delivery.meta.proofs.findLast((one: Delivery) => one.custom.status !== 'cancelled');
        expect(last?.custom).toMatchObject(FINDS[find]);
        expectVerified(delivery);
        expect(delivery.data).toMatchObject({ record: 'wallet', linked: verb === 'created' ? 'w' : null });
        if (find === 'missing') expect(delivery.meta.output).toBeNull();
        else expect(delivery.meta.output.data.signal).toBe(`wallet-${verb}`);
      });
    }
  }
}

describe('every proof of a delivery', () => {
  it('verifies over the hash that is served, where the bridge was missing at first', () =>
    checkFinds(['missing', 'taking']));

  it('verifies over the hash that is served, whatever the attempts found', async () => {
    const failed = fc.constantFrom<Find[]>('missing', 'unreachable', 'refusing', 'ending');
    const finds = fc
      .tuple(fc.array(failed, { minLength: 1, maxLength: 4 }), fc.constantFrom<Find[]>('missing', 'ending', 'taking'))
      .map(([failures, last]) => [...failures, last]);
    await fc.assert(fc.asyncProperty(finds, checkFinds), { numRuns: 8 });
  }, 300_000);
});
