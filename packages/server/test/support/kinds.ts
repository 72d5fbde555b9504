import type { Kind, KindName } from '../../src/kinds/kind.js';
import { kinds } from '../../src/kinds/registry.js';

/** Kinds that differ most from one another: a ledger's own record, one beneath another, without a handle, processed, plain. */
const QUICK: readonly KindName[] = ['ledger', 'signer-factor', 'circle-signer', 'intent', 'wallet'];

const tier = process.env.TEST_TIER ?? 'quick';

/**
 * The kinds that a file `*.kinds.test.ts` tests in this run: what holds for every kind is shown for some by the quick tier,
 * and for the others by the deep one.
 */
export const testedKinds: readonly Kind[] = kinds.filter(
  ({ name }) => tier === 'all' || QUICK.includes(name) === (tier === 'quick'),
);
