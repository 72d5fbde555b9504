/** The tests of each tier, as patterns of files. Deep tests kill or start processes, run long, or try many orders. */
const DEEP = '**/*.deep.test.ts';
const TESTS = ['packages/*/test/**/*.test.ts', 'bench/**/*.test.ts'];
/** Tests of what holds for every kind: the quick tier runs them for some kinds, the deep tier for the others. */
const KINDS = 'packages/*/test/**/*.kinds.test.ts';

/** What the tiers hold: `quick` is `npm test`, `deep` is `npm run test:deep`, `all` is both. */
const tiers = {
  quick: { include: TESTS, exclude: [DEEP] },
  deep: { include: [...TESTS.map((pattern) => pattern.replace('*.test.ts', '*.deep.test.ts')), KINDS], exclude: [] },
  all: { include: TESTS, exclude: [] },
};

/** Whether a run of the tier takes the file; folders are of every tier. */
export function isInTier(path, name = 'quick') {
  if (name === 'all' || !path.endsWith('.test.ts') || path.endsWith('.kinds.test.ts')) return true;
  return path.endsWith('.deep.test.ts') === (name === 'deep');
}

/**
 * The files that a run takes.
 *
 * @param name of a tier; the quick one unless given
 * @throws Error for a tier that does not exist
 */
export function tierOf(name = 'quick') {
  const tier = tiers[name];
  if (!tier) throw new Error(`TEST_TIER is ${name}, and must be one of ${Object.keys(tiers).join(', ')}`);
  return { include: tier.include, exclude: ['**/node_modules/**', ...tier.exclude] };
}
