/** What runs on a cluster, by tier. */
export const TESTS = {
  quick: [
    'packages/server/test/access',
    'packages/server/test/access-http',
    'packages/server/test/deliveries',
    'packages/server/test/erasure',
    'packages/server/test/lists/admission',
    'packages/server/test/log/wait.test',
    'packages/server/test/money/settle.test',
    'packages/server/test/records',
    'packages/server/test/tenants',
  ],
  deep: ['packages/server/test/clusters'],
};

/** Files of these that do not run there, and why. */
export const EXCLUDED = [
  ['packages/server/test/tenants/twins.test.ts', 'it fails while it prepares its rows'],
  ['packages/server/test/deliveries/due-queues.test.ts', 'it is about a statement for plain PostgreSQL'],
  ['packages/server/test/erasure/starved.test.ts', 'it looks for a lock that another node has'],
  ['packages/server/test/records/quota.test.ts', 'it compares counts by a statement that Citus refuses'],
];
