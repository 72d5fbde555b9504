import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect, it } from 'vitest';
import type { KindName } from '../../src/kinds/kind.js';
import { newKey, proofOver, signed, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { activated, circleOf, founded, registered, underPolicies } from './support.js';

const server = withServer();

/** Ledgers, each of rules of its own, with a hundred cases and more. */
const LEDGERS = process.env.LONG_TESTS ? 100 : 6;

const random = seeded();
const below = (count: number) => Math.floor(random() * count);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
const some = <Value>(most: number, make: () => Value): Value[] => Array.from({ length: below(most + 1) }, make);

const ACTIONS = ['read', 'query', 'create', 'update', 'drop', 'any', 'access', 'query-event', 'retry-event', 'erase'];

/** What a signer may be asked to be. */
function matcher(keys: readonly TestKey[]): JsonObject {
  const one = () =>
    pick<JsonObject>([
      ...keys.map(({ public: key }) => ({ public: key })),
      { $record: 'owner' },
      { $ledger: 'owner' },
      { handle: pick(['ann', 'bo']) },
      { handle: { $nin: ['ann'] } },
      { $circle: 'ops' },
      { format: 'ed25519-raw' },
      {},
    ]);
  return pick([one, one, () => ({ $in: [one(), one()] })])();
}

function rule(keys: readonly TestKey[], records: readonly (string | undefined)[]): JsonObject {
  const record = pick(records);
  const token = () =>
    pick<() => JsonObject>([
      () => ({ $signer: matcher(keys) }),
      () => ({ $signer: matcher(keys) }),
      () => ({}),
      () => ({ hsh: true }),
      () => ({ sub: 'signer:test' }),
    ])();
  const who = pick<() => JsonObject>([
    () => ({}),
    () => ({ signer: matcher(keys) }),
    () => ({ bearer: token() }),
    () => ({ signer: matcher(keys), bearer: token() }),
  ]);
  const action = pick<() => JsonObject['action']>([
    () => pick(ACTIONS),
    () => pick(ACTIONS),
    () => ({ $in: [pick(ACTIONS), pick(ACTIONS)] }),
    () => ({ $nin: [pick(ACTIONS), pick(ACTIONS)] }),
  ])();
  return { action: action!, ...(record === undefined ? {} : { record }), ...who() };
}

/** A record that a case is about: what it is made of, and where. */
interface Subject {
  readonly kind: KindName;
  readonly data: JsonObject;
  readonly path: string;
  /** Of a domain, or none. */
  readonly within: JsonObject;
}

/** What a caller may ask for about a record, in an order in which each leaves the next possible. */
interface Asked {
  readonly of?: KindName;
  readonly check: (subject: Subject) => { readonly path: string; readonly data: JsonObject };
  readonly send: (client: TestClient, subject: Subject, record: RecordEnvelope) => ReturnType<TestClient['call']>;
}

const about = (action: string, record?: string) => (subject: Subject) => ({
  path: subject.path,
  data: { action, ...(record === undefined ? {} : { record: `${subject.kind}-${record}` }) },
});

const REQUESTS: readonly Asked[] = [
  { check: about('read'), send: (client, { path }) => client.get(path, bearer(client.key)) },
  { check: about('read'), send: (client, { path }) => client.get(`${path}/changes`, bearer(client.key)) },
  {
    of: 'effect',
    check: about('query-event'),
    send: (client, { path }) => client.get(`${path}/events`, bearer(client.key)),
  },
  {
    of: 'effect',
    check: about('retry-event'),
    send: (client, { path }) =>
      client.call('POST', `${path}/events/retry`, signed({ maxAge: below(1e9) }, client.key, {})),
  },
  {
    check: ({ kind }) => ({ path: '/ledger', data: { action: 'query', record: kind } }),
    send: (client, { kind }) => client.get(`/${kind}s`, bearer(client.key)),
  },
  {
    check: ({ kind, within }) => ({
      path: within.domain === undefined ? '/ledger' : `/domains/${within.domain}`,
      data: { action: 'create', record: kind },
    }),
    send: (client, { kind, data, within }) =>
      client.create(`/${kind}s`, { ...data, handle: `${data.handle}-${below(1e9)}` }, within),
  },
  {
    check: about('create', 'proof'),
    send: (client, { path }, { hash }) => client.call('POST', `${path}/proofs`, proofOver(hash, client.key)),
  },
  {
    check: about('update'),
    send: (client, { path }, record) => client.update(path, record, { ...record.data, custom: { at: below(1e9) } }),
  },
  { check: about('drop'), send: (client, { path }, record) => client.drop(path, record) },
];

const KINDS: readonly KindName[] = ['wallet', 'wallet', 'effect'];
const EFFECT = { signal: 'symbol-created', action: { bridge: 'nobody' } };

/** A record with rules of its own, perhaps in the domain, by the founder or one of the callers. */
async function made(
  founder: TestClient,
  callers: readonly TestKey[],
  at: number,
  isOfRules: boolean,
): Promise<Subject> {
  const kind = pick(KINDS);
  const handle = `${kind}-${at}`;
  const access = some(3, () => rule(callers, [undefined, undefined, kind, 'any']));
  if (isOfRules && below(4) === 0) access.push({ policy: 'shared' });
  const within: JsonObject = below(3) === 0 ? { domain: 'd' } : {};
  const data = { handle, access, ...(kind === 'effect' ? EFFECT : {}) };
  const subject = { kind, data, path: `/${kind}s/${handle}`, within };
  const first = await founder.as(pick([founder.key, ...callers])).create(`/${kind}s`, data, within);
  if (first.status !== 201) ok(await founder.create(`/${kind}s`, data, within));
  return subject;
}

it.each(Array.from({ length: LEDGERS }, (_, at) => at))(
  'an access check says of each request what the request is answered, by random rules: %i',
  async (at) => {
    const strangers = [newKey()];
    const isPolicyBased = at % 3 === 2;
    const founder = isPolicyBased ? await underPolicies(server.current.url, []) : await founded(server.current.url);
    const callers = [await registered(founder, 'ann'), await registered(founder, 'bo'), ...strangers];
    await circleOf(founder, 'ops', 'ann');
    const anyOf = [undefined, 'any', 'wallet', 'effect', 'ledger', 'wallet-proof', 'effect-proof'];
    const rules = some(4, () => rule(callers, anyOf));
    await stored(founder, 'domain', { handle: 'd', access: some(3, () => rule(callers, ['any', 'wallet', 'effect'])) });
    if (isPolicyBased) {
      await activated(founder, { handle: 'p', record: 'any', values: [{ action: 'read' }, ...rules] });
    } else {
      const values = [{ action: 'erase' }, ...some(2, () => rule(callers, [undefined, 'wallet', 'effect']))];
      await stored(founder, 'policy', { handle: 'shared', schema: 'access', record: 'any', values });
      const ledger = ok(await founder.get('/ledger', bearer(founder.key))).body;
      const own = below(4) === 0 ? [{ policy: 'shared' }] : [];
      ok(
        await founder.update('/ledger', ledger, { ...ledger.data, access: [...ledger.data.access, ...rules, ...own] }),
      );
    }
    let cases = 0;
    for (let count = 0; count < 5; count += 1) {
      const subject = await made(founder, callers, count, !isPolicyBased);
      for (const key of callers) {
        const client = founder.as(key);
        for (const { of, check, send } of REQUESTS) {
          if (of !== undefined && of !== subject.kind) continue;
          const record = (await founder.get(subject.path, bearer(founder.key))).body as RecordEnvelope;
          const asked = check(subject);
          const shown = ok(await client.call('POST', `${asked.path}/access/!check`, signed(asked.data, key, {})));
          const answer = await send(client, subject, record);
          const what = JSON.stringify({ asked, rules, subject, is: answer.body, shown: shown.body.data });
          expect([401, 403].includes(answer.status) || answer.status < 300, what).toBe(true);
          expect(shown.body.data.length > 0, what).toBe(answer.status < 300);
          cases += 1;
          if (answer.status === 204) ok(await founder.create(`/${subject.kind}s`, subject.data, subject.within));
        }
      }
    }
    expect(cases).toBeGreaterThanOrEqual(5 * callers.length * 7);
  },
);
