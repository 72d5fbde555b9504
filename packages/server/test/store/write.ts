import type { Write } from '../../src/store/committer/write.js';

/** The create of a wallet, or what `more` makes of it; `number` tells it from others. */
export function writeOf(number: number, more: Partial<Write> = {}): Write {
  return {
    ledger: 1,
    version: 1,
    action: 'create',
    kind: 'wallet',
    key: `w-${number}`,
    luid: `$wlt.${number}`,
    change: 1,
    moment: '2030-01-02T03:04:05.006Z',
    hash: 'h',
    status: 'created',
    domain: undefined,
    link: undefined,
    proven: false,
    document: '{}',
    body: `{"made":${number}}`,
    proofs: [],
    assumedUnregistered: [],
    mustExist: [],
    bumpsRules: false,
    leaves: 'A'.repeat(64),
    ...more,
  };
}
