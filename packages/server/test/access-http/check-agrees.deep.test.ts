import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { newKey, proofOver, signed, type TestClient, type TestKey } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { seeded } from '../support/seed.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';
import { activated, founded, underPolicies } from './support.js';

const server = withServer();

/** Ledgers, each of rules of its own, with some sixty cases. */
const LEDGERS = process.env.LONG_TESTS ? 170 : 8;

const random = seeded();
const below = (count: number) => Math.floor(random() * count);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;

const ACTIONS = ['read', 'query', 'create', 'update', 'drop', 'any', 'access'];

function rule(keys: readonly TestKey[], records: readonly (string | undefined)[]): JsonObject {
  const signer = () => pick<JsonObject>([...keys.map(({ public: key }) => ({ public: key })), { $record: 'owner' }]);
  const record = pick(records);
  const who = pick<() => JsonObject>([
    () => ({}),
    () => ({ signer: signer() }),
    () => ({ bearer: { $signer: signer() } }),
    () => ({ signer: signer(), bearer: { $signer: signer() } }),
  ]);
  const action = pick<() => JsonObject['action']>([
    () => pick(ACTIONS),
    () => ({ $in: [pick(ACTIONS), pick(ACTIONS)] }),
  ])();
  return { action: action!, ...(record === undefined ? {} : { record }), ...who() };
}

const some = <Value>(most: number, make: () => Value): Value[] => Array.from({ length: below(most + 1) }, make);

/** What a caller may ask for about a wallet, in an order in which each leaves the next possible. */
const REQUESTS: readonly {
  readonly check: (path: string) => { readonly path: string; readonly data: JsonObject };
  readonly send: (client: TestClient, path: string, record: RecordEnvelope) => ReturnType<TestClient['call']>;
}[] = [
  {
    check: (path) => ({ path, data: { action: 'read' } }),
    send: (client, path) => client.get(path, bearer(client.key)),
  },
  {
    check: () => ({ path: '/ledger', data: { action: 'query', record: 'wallet' } }),
    send: (client) => client.get('/wallets', bearer(client.key)),
  },
  {
    check: () => ({ path: '/ledger', data: { action: 'create', record: 'wallet' } }),
    send: (client, path) => client.create('/wallets', { handle: `${path.slice(9)}-${below(1e9)}` }),
  },
  {
    check: (path) => ({ path, data: { action: 'create', record: 'wallet-proof' } }),
    send: (client, path, { hash }) => client.call('POST', `${path}/proofs`, proofOver(hash, client.key)),
  },
  {
    check: (path) => ({ path, data: { action: 'update' } }),
    send: (client, path, record) => client.update(path, record, { ...record.data, custom: { at: below(1e9) } }),
  },
  {
    check: (path) => ({ path, data: { action: 'drop' } }),
    send: (client, path, record) => client.drop(path, record),
  },
];

it.each(Array.from({ length: LEDGERS }, (_, at) => at))(
  'an access check says of each request what the request is answered, by random rules: %i',
  async (at) => {
    const callers = [newKey(), newKey()];
    const rules = some(4, () => rule(callers, [undefined, 'any', 'wallet', 'ledger', 'wallet-proof']));
    const isPolicyBased = at % 3 === 2;
    const founder = isPolicyBased
      ? await underPolicies(server.current.url, [])
      : await founded(server.current.url, rules);
    if (isPolicyBased) await activated(founder, { handle: 'p', record: 'any', values: [{ action: 'read' }, ...rules] });
    let cases = 0;
    for (const handle of ['v', 'w', 'x', 'y', 'z']) {
      const access = some(3, () => rule(callers, [undefined, undefined, 'wallet', 'any']));
      const path = `/wallets/${handle}`;
      const owner = pick([founder, founder.as(callers[0]!)]);
      const made = await owner.create('/wallets', { handle, access });
      if (made.status !== 201) await stored(founder, 'wallet', { handle, access });
      for (const key of callers) {
        const client = founder.as(key);
        for (const { check, send } of REQUESTS) {
          const record = (await founder.get(path, bearer(founder.key))).body as RecordEnvelope;
          const asked = check(path);
          const shown = ok(await client.call('POST', `${asked.path}/access/!check`, signed(asked.data, key, {})));
          const answer = await send(client, path, record);
          const what = JSON.stringify({ asked, rules, access, is: answer.body, shown: shown.body.data });
          expect([401, 403].includes(answer.status) || answer.status < 300, what).toBe(true);
          expect(shown.body.data.length > 0, what).toBe(answer.status < 300);
          cases += 1;
          if (answer.status === 204) await stored(founder, 'wallet', { handle, access });
        }
      }
    }
    expect(cases).toBe(60);
  },
);
