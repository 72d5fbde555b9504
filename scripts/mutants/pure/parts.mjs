import { tmpdir } from 'node:os';
import { join } from 'node:path';

const money = 'packages/server/src/money';
const moneyTests = 'packages/server/test/money';

/** The parts that are pure, by name: their sources, and the tests that need neither server nor database. */
export const parts = {
  protocol: {
    sources: ['packages/protocol/src/**/*.ts'],
    tests: ['packages/protocol/test/**/*.test.ts'],
  },
  'safe-json-schema': {
    sources: ['packages/safe-json-schema/src/**/*.ts'],
    tests: ['packages/safe-json-schema/test/**/*.test.ts'],
  },
  // Hints, the filters of effects and the deployment's rules are tested over HTTP alone.
  access: {
    sources: ['packages/server/src/access/!(data-filter|explain|hint|server-rules).ts'],
    tests: ['packages/server/test/access/**/*.test.ts'],
  },
  // Permissions and limits are judged on records and balances of the database: their defects are in the list.
  money: {
    sources: [`${money}/{machine,proofs}.ts`, `${money}/plan/{claims,handles,resolve,routes}.ts`],
    tests: [
      `${moneyTests}/step-{random,trails}.test.ts`,
      `${moneyTests}/step-exhaustive.deep.test.ts`,
      `${moneyTests}/resolve{,-properties,-routes}.test.ts`,
    ],
  },
};

/** The part that a run is about: its name is in the environment, as both configurations are read in processes of StrykerJS. */
export function partOfRun() {
  const name = process.env.MUTANTS_PART;
  return { name, ...parts[name] };
}

/** Where the copies of the repository lie that a part is changed in. */
export function workFolderOf(name) {
  return join(tmpdir(), `countersign-mutants-${name}`);
}
