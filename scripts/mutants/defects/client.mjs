/** What the client and the command believe, and whom they sign for. */
export const mutants = [
  {
    id: 'client-key',
    file: 'packages/client/src/trust.ts',
    find: 'return proof.public === this.key;',
    replace: "return proof.signer === 'system';",
    breaks: 'Anyone signs in the name of the ledger.',
    tests: ['packages/client/test/lies.test.ts'],
  },
  {
    id: 'client-older-version',
    file: 'packages/client/src/trust.ts',
    find: 'seen.older.includes(now.id) || seen.parent === now.id || now.moment + skew < seen.moment',
    replace: 'now.id === undefined',
    breaks: 'A version that was replaced is taken for the current one.',
    tests: ['packages/client/test/lies.test.ts'],
  },
  {
    id: 'cli-proxy-any-host',
    file: 'packages/cli/src/proxy/guard.ts',
    find: "if (!LOOPBACK_HOST.test(headers.host ?? '')) {",
    replace: 'if (headers.host === undefined) {',
    breaks: 'A page under a name that leads to this machine has the proxy sign.',
    tests: ['packages/cli/test/proxy/faults.test.ts'],
  },
  {
    id: 'cli-proxy-any-origin',
    file: 'packages/cli/src/proxy/guard.ts',
    find: 'if (allowed.has(origin)) return undefined;',
    replace: 'if (allowed !== undefined) return undefined;',
    breaks: 'Every web page has the proxy sign.',
    tests: ['packages/cli/test/proxy/faults.test.ts'],
  },
  {
    id: 'cli-key-read-by-others',
    file: 'packages/cli/src/home/home.ts',
    find: 'if ((mode & 0o077) !== 0) {',
    replace: 'if (mode === 0) {',
    breaks: 'A key that others may read is used.',
    tests: ['packages/cli/test/keys.test.ts'],
  },
];
