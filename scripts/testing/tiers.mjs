/** The tests of each tier, as patterns of files. Deep tests kill or start processes, run long, or try many orders. */
const DEEP = '**/*.deep.test.ts';
const TESTS = ['packages/*/test/**/*.test.ts', 'bench/**/*.test.ts'];

/** What the tiers hold: `quick` is `npm test`, `deep` is `npm run test:deep`, `all` is both. */
const tiers = {
  quick: { include: TESTS, exclude: [DEEP] },
  deep: { include: TESTS.map((pattern) => pattern.replace('*.test.ts', '*.deep.test.ts')), exclude: [] },
  all: { include: TESTS, exclude: [] },
};

/** Whether a run of the tier takes the file; folders are of every tier. */
export function isInTier(path, name = 'quick') {
  const isDeep = path.endsWith('.deep.test.ts');
  return name === 'all' || !path.endsWith('.test.ts') || isDeep === (name === 'deep');
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
