import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newLedger, signed, type TestClient } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { seed as drawn } from '../support/seed.js';
import { withServer } from '../support/server.js';
import { changes, conjunctions, intentData, type PATHS, walletData } from './arbitraries.js';
import { evaluate, type MeantFilter } from './evaluator.js';

const server = withServer();

/** All of them with `npm run soak`; give FILTERS_SEED to repeat a run. */
const BATCHES = process.env.LONG_TESTS ? 10 : 1;
const CONJUNCTIONS = process.env.LONG_TESTS ? { wallets: 1_400, intents: 600 } : { wallets: 250, intents: 100 };
const SEED = Number(process.env.FILTERS_SEED ?? drawn);

/** Makes the records of one batch, many at a time, and gives them as lists serve them. */
async function populated(
  seed: number,
): Promise<{ client: TestClient; lists: Record<keyof typeof PATHS, RecordEnvelope[]> }> {
  const client = await newLedger(server.current.url);
  await Promise.all([
    ...['shop', 'bank'].map((handle) => stored(client, 'domain', { handle })),
    ...['person', 'firm'].map((handle) =>
      stored(client, 'schema', { handle, record: 'wallet', format: 'json-schema', schema: {} }),
    ),
  ]);
  const suffix = (index: number) => ['', '@shop', '@bank', ''][index % 4];
  await createAll(
    client,
    '/wallets',
    fc.sample(walletData, { seed, numRuns: 80 }),
    (index) => `w-${index}${suffix(index)}`,
  );
  await createAll(client, '/intents', fc.sample(intentData, { seed, numRuns: 40 }), (index) => `i-${index}`);
  const wallets = await everything(client, '/wallets');
  const proofs = fc.sample(changes, { seed, numRuns: wallets.length });
  await Promise.all(
    wallets.map(async (wallet, index) => {
      const custom = proofs[index] ?? {};
      const path = `/wallets/${encodeURIComponent(String(wallet.data.handle))}`;
      if (Object.keys(custom).length > 0) ok(await client.prove(path, wallet, custom));
    }),
  );
  return {
    client,
    lists: { wallets: await everything(client, '/wallets'), intents: await everything(client, '/intents') },
  };
}

async function createAll(
  client: TestClient,
  path: string,
  samples: readonly JsonObject[],
  handle: (index: number) => string,
): Promise<void> {
  const bodies = samples.map((data, index) => signed({ handle: handle(index), ...data }, client.key));
  await Promise.all(bodies.map(async (body) => ok(await client.call('POST', path, body))));
}

async function everything(client: TestClient, path: string, query = ''): Promise<RecordEnvelope[]> {
  return ok(await client.get(`${path}?page.limit=1000${query}`)).body.data;
}

/** The filters as a query, in one or the other of the forms clients write (interface/lists#filters). */
function queryOf(filters: readonly MeantFilter[]): string {
  return filters
    .flatMap(({ path, operator, values }, at) => {
      const several = operator === '$in' || operator === '$nin';
      // By itself, a text with a comma or in brackets is a set of values.
      const isSet = values.some((value) => /[,[]/.test(value));
      return values.map((value, index) => {
        const element = several && (isSet || at % 2 === 0) ? `[${index}]` : '';
        const plain = operator === '$eq' && at % 2 === 1 ? path : `${path}.${operator}`;
        return `&${encodeURIComponent(plain + element)}=${encodeURIComponent(value)}`;
      });
    })
    .join('');
}

/** A set is one filter, however many parameters name its elements. */
function asSent(filters: readonly MeantFilter[]): MeantFilter[] {
  const sets = new Map<string, MeantFilter>();
  for (const [index, filter] of filters.entries()) {
    const several = filter.operator === '$in' || filter.operator === '$nin';
    const name = several ? `${filter.path} ${filter.operator}` : String(index);
    sets.set(name, { ...filter, values: [...(sets.get(name)?.values ?? []), ...filter.values] });
  }
  return [...sets.values()];
}

it.each(Array.from({ length: BATCHES }, (_, batch) => SEED + batch))(
  'lists find what an evaluator without a database finds, in the same order: seed %i',
  async (seed) => {
    console.log(`filters: FILTERS_SEED=${seed}`);
    const { client, lists } = await populated(seed);
    for (const kind of ['wallets', 'intents'] as const) {
      const records = lists[kind];
      let telling = 0;
      await fc.assert(
        fc.asyncProperty(conjunctions(kind, records), async (filters) => {
          const expected = records.filter((record) => asSent(filters).every((filter) => evaluate(record, filter)));
          const found = await everything(client, `/${kind}`, queryOf(filters));
          expect(found.map(({ data }) => data.handle)).toEqual(expected.map(({ data }) => data.handle));
          if (expected.length > 0 && expected.length < records.length) telling += 1;
        }),
        { seed, numRuns: CONJUNCTIONS[kind] },
      );
      // Conjunctions that match nothing, or everything, tell little.
      expect(telling).toBeGreaterThan(CONJUNCTIONS[kind] / 8);
    }
  },
  600_000,
);
