/** What the verifier keeps of records: numbers and parts of hashes in place of texts. */
const src = (path) => `packages/verifier/src/kept/${path}`;

export const tests = ['packages/verifier/test/kept.deep.test.ts'];

export const mutants = [
  {
    id: 'kept-by-a-part-of-the-key',
    file: src('digest-table.ts'),
    find: '&& page[at + 1] === key[1] && page[at + 2] === key[2] && page[at + 3] === key[3]',
    replace: '&& page[at + 2] === key[2] && page[at + 3] === key[3]',
    breaks: 'Keys that differ in their second word are one.',
  },
  {
    id: 'kept-lost-when-it-grows',
    file: src('digest-table.ts'),
    find: 'while (slots[slot] !== 0) slot = (slot + 1) & last;\n',
    replace: '',
    breaks: 'A record is forgotten when another comes whose hash begins alike.',
  },
  {
    id: 'kept-by-sums-of-few-values',
    file: src('digest-table.ts'),
    find: 'return rest >= PRIME ? rest - PRIME : rest;',
    replace: 'return rest & 31;',
    breaks: 'A file whose keys somebody has chosen takes a time that grows with the square of their number.',
  },
  {
    id: 'kept-uses-of-any-key',
    file: src('uses.ts'),
    find: 'if (this.#keys.get(first) === number) return this.#records.get(first);',
    replace: 'if (number >= 0) return this.#records.get(first);',
    breaks: 'Two clients who sign the same have used the proof of the other.',
  },
  {
    id: 'kept-movements-of-another-account',
    file: src('moved.ts'),
    find: ' && this.#accounts.get(from) === account;',
    replace: ';',
    breaks: 'A movement is noted on another account than its proofs say.',
  },
  {
    id: 'kept-movements-as-they-came',
    file: src('moved.ts'),
    find: 'this.#moments.get(one) - this.#moments.get(other) || one - other',
    replace: 'one - other',
    breaks: 'Balances are replayed in another order than that of moments.',
  },
  {
    id: 'kept-what-is-named-again',
    file: src('references.ts'),
    find: '    this.#named.delete(fact);\n',
    replace: '',
    breaks: 'A signer whose record comes behind a proof that names it is told of as a stranger.',
  },
  {
    id: 'kept-lives-without-an-end',
    file: src('lives.ts'),
    find: 'if (from <= moment && moment <= until)',
    replace: 'if (from <= moment)',
    breaks: 'Limits of a wallet that was dropped count for the next one of its handle.',
  },
];
