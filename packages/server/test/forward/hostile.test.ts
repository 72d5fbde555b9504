import { isObject, type Json, type JsonObject, verifyProof } from '@countersign/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/auth/native-suite.js';
import { signed, type TestClient } from '../support/client.js';
import { withServer } from '../support/server.js';
import { type Received, withBridge } from './bridge.js';
import { anchor, aspect, forwardingLedger } from './scene.js';

const RUNS = process.env.LONG_TESTS ? 1_000 : 50;

const server = withServer({ deliveryAllowPrivate: true });
const bridge = withBridge();
beforeEach(() => bridge.reset());

/** What a hostile bridge puts in the place of something. */
const junk = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'system',
    'a'.repeat(64),
    '$anc.-1111111111111111',
    [],
    {},
    [[]],
    [{}],
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

/** Which place of an answer, and what for: something else, nothing, or what is elsewhere in it. */
interface Mutation {
  readonly place: number;
  readonly what: 'remove' | { readonly put: Json } | { readonly from: number };
}

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    place: fc.nat(),
    what: fc.oneof(fc.constant('remove' as const), fc.record({ put: junk }), fc.record({ from: fc.nat() })),
  }),
  { minLength: 1, maxLength: 3 },
);

interface Place {
  readonly holder: JsonObject | Json[];
  readonly member: string;
}

/** Every place of a JSON value, the outermost first. */
function places(value: Json): Place[] {
  if (!isObject(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => [{ holder: value, member }, ...places(inner)]);
}

function mutated(answer: Json, changes: readonly Mutation[]): Json {
  const copy = structuredClone(answer);
  for (const { place, what } of changes) {
    const all = places(copy);
    const at = (index: number) => all[index % all.length] as Place;
    if (all.length === 0) continue;
    const { holder, member } = at(place);
    const object = holder as JsonObject;
    if (what === 'remove') delete object[member];
    else if ('put' in what) object[member] = what.put;
    else object[member] = structuredClone((at(what.from).holder as JsonObject)[at(what.from).member] as Json);
  }
  return copy;
}

const REFUSED = [
  'forward.invalid-response',
  'forward.unexpected-error',
  'crypto.hash-invalid',
  'crypto.signature-invalid',
];

describe('whatever a bridge answers', () => {
  it.each(['proxy', 'synchronize'])('%s: what is served was signed, and the client signed it', async (strategy) => {
    const client: TestClient = await forwardingLedger(server.current.url, bridge.url, [
      aspect('create', strategy),
      aspect('read', 'fallback'),
    ]);
    let count = 0;
    const run = async (changes: Mutation[], status: number) => {
      count += 1;
      const data = anchor(`a-${count}`);
      const body = signed(data, client.key);
      bridge.instead = ({ body: sent }: Received) => {
        return { status, body: mutated(bridge.sealed(sent) as unknown as Json, changes) };
      };
      const answer = await client.call('POST', '/anchors', body);
      if (answer.status !== 201) {
        expect(REFUSED, answer.text).toContain(answer.body.data.reason);
        return;
      }
      expect(answer.body.hash).toBe(body.hash);
      expect(answer.body.data).toEqual(data);
      const results = answer.body.meta.proofs.map((proof: JsonObject) => proof.result);
      expect(results).toContain(body.meta.proofs[0]?.result);
      for (const proof of answer.body.meta.proofs)
        expect(verifyProof(body.hash, proof, native), answer.text).toBe(true);
    };
    await fc.assert(fc.asyncProperty(mutations, fc.constantFrom(200, 201, 400, 500), run), { numRuns: RUNS });
  });

  it('lists: what is served was signed', async () => {
    const client = await forwardingLedger(server.current.url, bridge.url, [aspect('query', 'proxy')]);
    const list = bridge.list([bridge.keep(anchor('a')), bridge.keep(anchor('b'))]);
    const run = async (changes: Mutation[]) => {
      bridge.instead = () => ({ status: 200, body: mutated(list, changes) });
      const answer = await client.get('/anchors');
      if (answer.status !== 200) {
        expect(REFUSED, answer.text).toContain(answer.body.data.reason);
        return;
      }
      for (const { hash, meta } of answer.body.data) {
        for (const proof of meta.proofs) expect(verifyProof(hash, proof, native), answer.text).toBe(true);
      }
    };
    await fc.assert(fc.asyncProperty(mutations, run), { numRuns: RUNS });
  });
});
