/** Lines of money in an export, which no proof is about: they are held against what proofs tell. */
const src = (path) => `packages/verifier/src/${path}`;

export const tests = ['packages/server/test/archive/tree/money-lines.deep.test.ts'];

export const mutants = [
  {
    id: 'money-lines-of-a-part',
    file: src('file.ts'),
    find: "if (scope !== 'everything')",
    replace: "if (scope === '')",
    breaks: 'One word in the first line of an export has nothing of its money compared.',
  },
  {
    id: 'money-lines-dropped-wallet',
    file: src('books.ts'),
    find: 'isErased || this.#dropped.get(record) === 1;',
    replace: 'isErased;',
    breaks: 'The debits of a wallet are put down to one of its handle that was dropped.',
  },
  {
    id: 'money-lines-twice',
    file: src('books.ts'),
    find: 'if (this.#moved.isSeen(row)) this.report(',
    replace: 'if (false) this.report(',
    breaks: 'A payment, and what undoes it, are noted twice.',
  },
  {
    id: 'money-lines-two-balances',
    file: src('books.ts'),
    find: 'if (this.#hasLast.get(account) === 1) this.#about(',
    replace: 'if (false) this.#about(',
    breaks: 'A wallet has two balances of a symbol.',
  },
  {
    id: 'money-lines-missing-limit',
    file: src('limits.ts'),
    find: 'isStated || !isOwnHandle || wallet === undefined ? []',
    replace: 'true ? []',
    breaks: 'A limit is taken away.',
  },
  {
    id: 'money-lines-two-limits',
    file: src('limits.ts'),
    find: 'if (set?.isStated || this.#others.has(key)) return',
    replace: 'if (false) return',
    breaks: 'A wallet has two limits of one metric.',
  },
];
