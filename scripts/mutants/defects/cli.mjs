/** The command line: whom the proxy signs for, and what opens a key. */
const src = (path) => `packages/cli/src/${path}`;
const test = (path) => `packages/cli/test/${path}`;

export const tests = [test('proxy/')];

export const mutants = [
  {
    id: 'cli-proxy-any-host',
    file: src('proxy/guard.ts'),
    find: "if (!LOOPBACK.test(headers.host ?? '')) {",
    replace: 'if (headers.host === undefined) {',
    breaks: 'A page under a name that leads to this machine has the proxy sign.',
    tests: [test('proxy/faults.test.ts')],
  },
  {
    id: 'cli-proxy-any-origin',
    file: src('proxy/guard.ts'),
    find: 'if (allowed.has(origin)) return undefined;',
    replace: 'if (allowed !== undefined) return undefined;',
    breaks: 'Every web page has the proxy sign.',
    tests: [test('proxy/faults.test.ts')],
  },
  {
    id: 'cli-proxy-requests-without-origin',
    file: src('proxy/guard.ts'),
    find: "if (site !== undefined && site !== 'none') return",
    replace: "if (site === 'never') return",
    breaks: 'A web page sends requests without an origin through the proxy.',
    tests: [test('proxy/faults.test.ts')],
  },
  {
    id: 'cli-proxy-own-token-wins',
    file: src('proxy/proxy.ts'),
    find: "if (headerOf(headers, 'authorization') === undefined) {",
    replace: "if (headerOf(headers, 'x-never') === undefined) {",
    breaks: "The proxy adds its token beside the caller's.",
    tests: [test('proxy/faults.test.ts')],
  },
  {
    id: 'cli-proxy-hop-by-hop',
    file: src('proxy/headers.ts'),
    find: 'new Set([...HOP_BY_HOP, ...named, ...without])',
    replace: 'new Set([...HOP_BY_HOP, ...without])',
    breaks: 'Headers that `connection` names are passed on.',
    tests: [test('proxy/faults.test.ts')],
  },
  {
    id: 'cli-proxy-signs-again',
    file: src('wire/sign.ts'),
    find: "if (typeof body.hash === 'string' && proofsOf(body)",
    replace: "if (typeof body.hash === 'number' && proofsOf(body)",
    breaks: 'A body that is signed by the key gets another proof by it.',
    tests: [test('proxy/rows.test.ts')],
  },
  {
    id: 'cli-key-read-by-others',
    file: src('home/home.ts'),
    find: 'if ((mode & 0o077) !== 0) {',
    replace: 'if (mode === 0) {',
    breaks: 'A key that others may read is used.',
    tests: [test('keys.test.ts')],
  },
  {
    id: 'cli-key-altered',
    file: src('home/key-store.ts'),
    find: 'if (pair.public !== said) throw',
    replace: "if (pair.public === '') throw",
    breaks: 'A file that says another public key than it holds is used.',
    tests: [test('keys.test.ts')],
  },
  {
    id: 'cli-amount-too-large',
    file: src('money/amount.ts'),
    find: 'if (integer > BigInt(Number.MAX_SAFE_INTEGER)) throw',
    replace: 'if (integer > BigInt(Number.MAX_VALUE)) throw',
    breaks: 'An amount beyond the safe integers is signed as another one.',
    tests: [test('amounts.test.ts')],
  },
];
