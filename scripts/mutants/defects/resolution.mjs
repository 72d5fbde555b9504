/** Which wallets the claims of an intent lead to, and who may have it done. */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/${path}`;

const permissions = [test('money/resolve-permissions.test.ts')];
const routes = [test('money/resolve-routes.test.ts')];

export const tests = [test('money/resolve.test.ts')];

export const mutants = [
  {
    id: 'resolution-one-hop-more',
    file: src('money/resolution/routes.ts'),
    find: 'if (hops >= limits.hops) return tooDeep(intent, claim);',
    replace: 'if (hops > limits.hops) return tooDeep(intent, claim);',
    breaks: 'A claim follows a route more than the limit.',
    tests: routes,
  },
  {
    id: 'resolution-no-circles',
    file: src('money/resolution/routes.ts'),
    find: 'if (passed.has(next.record.luid)) {',
    replace: 'if (next.record.luid === named.record.luid) {',
    breaks: 'A circle that leaves out the first wallet is told as depth.',
    tests: routes,
  },
  {
    id: 'resolution-falls-back-to-itself',
    file: src('money/resolution/routes.ts'),
    find: "return routes.length === 0 ? 'itself' : 'none';",
    replace: "return 'itself';",
    breaks: 'A wallet takes what none of its routes allows.',
    tests: routes,
  },
  {
    id: 'resolution-filters-for-one-slice',
    file: src('money/resolution/routes.ts'),
    find: '      await task.turn();\n',
    replace: '',
    breaks: 'The filters of a wallet are judged in one go, and together fail what each may take.',
    tests: routes,
  },
  {
    id: 'resolution-forward-by-debit-routes',
    file: src('money/resolution/resolve.ts'),
    find: "if (!intent.isForward) return follow(intent, claim, 'debit', address);",
    replace: "return follow(intent, claim, 'debit', address);",
    breaks: "Who owns a wallet forwards from another's, without a permission.",
  },
  {
    id: 'resolution-needs-without-routes',
    file: src('money/resolution/routes.ts'),
    find: "wallet = lookups.use('wallet', next);",
    replace: 'wallet = next;',
    breaks: 'A wallet on the way may change while the intent is decided on.',
  },
  {
    id: 'resolution-looks-up-again',
    file: src('money/resolution/directory.ts'),
    find: 'this.#looked.set(key, looking);',
    replace: '',
    breaks: 'Claims of one intent see different versions of a wallet.',
  },
  {
    id: 'resolution-biased-handles',
    file: src('money/resolution/handles.ts'),
    find: 'const FAIR = 256 - (256 % ALPHANUMERICS.length);',
    replace: 'const FAIR = 256;',
    breaks: 'Some characters of handles are likelier than others.',
  },
  {
    id: 'permission-debited-wallet',
    file: src('money/resolution/permit.ts'),
    find: "on('spend', 'wallet', [source, debited])",
    replace: "on('spend', 'wallet', [source])",
    breaks: "A debit route of one's own spends from another's wallet.",
    tests: permissions,
  },
  {
    id: 'permission-named-wallet',
    file: src('money/resolution/permit.ts'),
    find: "on('spend', 'wallet', [source, debited])",
    replace: "on('spend', 'wallet', [debited])",
    breaks: 'A wallet with a debit route is spent from without its permission.',
    tests: permissions,
  },
  {
    id: 'permission-destroy-without-spend',
    file: src('money/resolution/permit.ts'),
    find: "return [...on('destroy', 'symbol', [symbol]), ...spend];",
    replace: "return on('destroy', 'symbol', [symbol]);",
    breaks: "Who may destroy a symbol empties anyone's wallet.",
    tests: permissions,
  },
  {
    id: 'permission-by-any-one-right',
    file: src('money/resolution/permit.ts'),
    find: 'subjectOf(kindNamed(kind), on.record)))) return false;',
    replace: 'subjectOf(kindNamed(kind), on.record)))) continue;',
    breaks: 'An intent is permitted whatever rules say.',
    tests: permissions,
  },
  {
    id: 'permission-by-the-ledgers-keys',
    file: src('money/resolution/caller.ts'),
    find: '.filter((key) => !isOwn(ledger, key))',
    replace: '',
    breaks: "The ledger's own proofs on an intent grant what rules give its keys.",
    tests: permissions,
  },
  {
    id: 'permission-by-later-proofs',
    file: src('money/resolution/caller.ts'),
    find: 'return meta.proofs.slice(0, Math.max(0, end));',
    replace: 'return meta.proofs;',
    breaks: 'A proof that is added later permits an intent.',
    tests: permissions,
  },
];
