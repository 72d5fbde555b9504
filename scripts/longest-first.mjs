import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from './root.mjs';

/** Files that take four seconds of processor time and more, or ten of waiting; the order of the others matters little. */
const LONGEST = [
  'packages/cli/test/archive/killed.test.ts',
  'packages/cli/test/guides/guides.test.ts',
  'packages/server/test/availability/fair-turns.test.ts',
  'packages/server/test/money/model.test.ts',
  'packages/embedded-postgres/test/start.test.ts',
  'packages/server/test/start.test.ts',
  'packages/server/test/matrix/matrix.test.ts',
  'packages/cli/test/server.test.ts',
  'packages/cli/test/archive/altered.test.ts',
  'packages/cli/test/guides/quick-start.test.ts',
  'packages/server/test/durability/workers.test.ts',
  'packages/server/test/durability/processes.test.ts',
  'packages/server/test/witnessing/witnesses.test.ts',
  'packages/server/test/examples/reporter-faults.test.ts',
  'packages/server/test/examples/receiver.test.ts',
  'packages/server/test/mirrors/joined.test.ts',
  'packages/server/test/events/signals.test.ts',
  'packages/server/test/lists/page-bytes.test.ts',
  'packages/server/test/durability/watchdog.test.ts',
  'packages/server/test/failover/lost-writes.test.ts',
  'packages/server/test/deliveries/soak.test.ts',
  'packages/server/test/examples/reporter.test.ts',
  'packages/server/test/money/kills.test.ts',
  'packages/server/test/money/bridges-failures.test.ts',
  'packages/server/test/money/bridges-reports.test.ts',
  'packages/server/test/money/bridges-processes.test.ts',
  'packages/server/test/money/edges.test.ts',
  'packages/server/test/archive/resumed.test.ts',
  'packages/server/test/archive/altered.test.ts',
  'packages/server/test/archive/tree/in-database.test.ts',
  'packages/server/test/archive/tree/altered.test.ts',
  'packages/protocol/test/log/go.test.ts',
  'packages/safe-json-schema/test/memory.test.ts',
  'packages/server/test/lists/starved.test.ts',
  'packages/server/test/filters/oracle.test.ts',
  'packages/server/test/durability/disk.test.ts',
  'packages/server/test/durability/connections.test.ts',
  'packages/server/test/deliveries/faults-stopped.test.ts',
  'packages/server/test/records/every-kind-malformed.test.ts',
  'packages/server/test/bridges/mtls.test.ts',
  'packages/server/test/http/connections.test.ts',
  'packages/server/test/deliveries/faults-races.test.ts',
  'packages/server/test/money/handing-faults.test.ts',
  'packages/server/test/events/retry-requests.test.ts',
  'packages/server/test/erasure/intents-races.test.ts',
  'packages/server/test/log/kills.test.ts',
  'packages/server/test/log/restart.test.ts',
  'packages/server/test/background/service.test.ts',
  'packages/server/test/store/races.test.ts',
  'packages/server/test/store/storm.test.ts',
  'packages/server/test/access-http/circles-processes.test.ts',
  'packages/server/test/events/retry-killed.test.ts',
];

/** Begins with the longest files: one that began last would keep one worker after the others have ended. */
export class LongestFirst extends BaseSequencer {
  async sort(files) {
    const place = ({ moduleId }) => {
      const at = LONGEST.indexOf(relative(root, moduleId).replaceAll('\\', '/'));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
