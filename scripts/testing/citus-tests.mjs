/** What runs on a cluster, by tier. */
export const TESTS = {
  quick: [
    'packages/cli/test/admin/doctor.test',
    'packages/cli/test/admin/invitations.test',
    'packages/cli/test/admin/ledgers.test',
    'packages/cli/test/admin/suspend.test',
    'packages/server/test/access',
    'packages/server/test/access-http',
    'packages/server/test/deliveries',
    'packages/server/test/erasure',
    'packages/server/test/lists/admission',
    'packages/server/test/log/wait.test',
    'packages/server/test/money/settle.test',
    'packages/server/test/records',
    'packages/server/test/schedules/policies.test',
    'packages/server/test/schedules/schedules.test',
    'packages/server/test/tenants',
  ],
  deep: [
    'packages/server/test/archive/resumed.deep',
    'packages/server/test/archive/state.deep',
    'packages/server/test/clusters',
    'packages/server/test/witnessing/witnesses.deep',
  ],
};

/** Files of these that do not run there, and why. */
export const EXCLUDED = [
  ['packages/server/test/tenants/twins.test.ts', 'it locks one of all ledgers, which Citus locks together'],
  ['packages/server/test/deliveries/due-queues.test.ts', 'it is about a statement for plain PostgreSQL'],
];
