/** Effects and their deliveries. */
const src = (path) => `packages/server/src/${path}`;
const sql = (name) => `packages/server/sql/${name}.sql`;
const test = (path) => `packages/server/test/${path}`;

export const mutants = [
  {
    id: 'deliver-forged-row',
    file: src('deliveries/attempt.ts'),
    find: '    verifyDelivery(engine.service, batch.ledger, delivery);\n',
    replace: '',
    breaks: 'A row that was altered in the database is sent, and signed.',
    tests: [test('deliveries/faults-poison.deep.test.ts')],
  },
  {
    id: 'effect-beside-domain',
    file: src('events/raise.ts'),
    find: 'isInDomain(ledger, domain, effect.domain) && ',
    replace: '',
    breaks: 'An effect in a domain is told of records everywhere.',
    tests: [test('domains/effects.test.ts')],
  },
  {
    id: 'delivery-of-another-effect',
    file: src('store/outbox/delivery-list.ts'),
    find: 'and d.handle = any(${query.handles}::text[]) and ${inScope(query)}`',
    replace: 'and d.handle = any(${query.handles}::text[])`',
    breaks: 'Who may see the deliveries of one effect sees those of all.',
    tests: [test('events/list.test.ts')],
  },
  {
    id: 'retry-piece-twice',
    file: sql('delivery_retries_1'),
    find: 'order by r.worked limit 1 for update;',
    replace: 'order by r.worked limit 1;',
    breaks: 'Two processes that work off a retry send a delivery again that was attempted meanwhile.',
    tests: [test('events/retry-requests.test.ts')],
  },
];
