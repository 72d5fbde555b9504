/** Records whose texts were erased, as an export is verified. */
const src = (path) => `packages/verifier/src/${path}`;

const erasure = src('erasure.ts');
const tree = src('log/tree.ts');

const intents = (list) =>
  list.map(([id, find, replace, breaks]) => ({
    id: `erased-intents-${id}`,
    file: src('erased/intents.ts'),
    find,
    replace,
    breaks,
    tests: ['packages/server/test/archive/tree/erased-intents.test.ts'],
  }));

export const tests = ['packages/server/test/archive/tree/erased.test.ts'];

export const mutants = [
  {
    id: 'erased-by-nobody',
    file: erasure,
    find: 'if (!this.#isStated)',
    replace: 'if (this.#count < 0)',
    breaks: 'Anyone calls a record erased, and what it said is hidden.',
  },
  {
    id: 'erased-of-another-kind',
    file: erasure,
    find: 'if (kind !== this.kind) fault(',
    replace: "if (kind === '') fault(",
    breaks: 'A record is erased as one of another kind.',
  },
  {
    id: 'erased-with-a-gap',
    file: erasure,
    find: 'if (change !== this.#count + 1)\n',
    replace: 'if (change < 1)\n',
    breaks: 'A change without a text is left out, and the statement covers for it.',
  },
  {
    id: 'erased-fewer-than-stated',
    file: erasure,
    find: '(isWhole && change !== this.#count + 1)',
    replace: '(isWhole && change <= this.#count)',
    breaks: 'The newest change of an erased record is left out.',
  },
  {
    id: 'erased-for-good',
    file: erasure,
    find: 'if (facts?.isKept)',
    replace: 'if (facts === undefined)',
    breaks: 'The key of the ledger erases a signer, whose name another then takes.',
  },
  {
    id: 'erased-other-data',
    file: erasure,
    find: 'if (!isStatement) fault(',
    replace: 'if (data === undefined) fault(',
    breaks: 'A statement says more than that a record is erased.',
  },
  {
    id: 'erased-another-record',
    file: erasure,
    find: 'if (data.luid !== luid) fault(',
    replace: "if (data.luid === '') fault(",
    breaks: 'The statement of one record erases another.',
  },
  {
    id: 'erased-another-number',
    file: erasure,
    find: 'if (data.change !== change - 1)',
    replace: 'if (data.change === 0)',
    breaks: 'A statement is signed for fewer changes than are erased.',
  },
  {
    id: 'erased-hash',
    file: erasure,
    find: 'if (hashOf(data, suite) !== hash)',
    replace: "if (hash === '')",
    breaks: 'The reason of an erasure is altered.',
  },
  {
    id: 'erased-proofs',
    file: erasure,
    find: 'if (!proofs.isValid(hash, proof))',
    replace: "if (hash === '')",
    breaks: 'A statement is signed by nobody.',
  },
  {
    id: 'erased-not-by-the-ledger',
    file: erasure,
    find: "authorOf(keys, own) === 'system' && own.custom?.luid === luid",
    replace: 'own.custom?.luid === luid',
    breaks: 'A client erases records in the name of the ledger.',
  },
  {
    id: 'erased-by-a-proof-of-another',
    file: erasure,
    find: ' && own.custom?.luid === luid;',
    replace: ';',
    breaks: 'The proof of another erasure counts.',
  },
  {
    id: 'erased-by-another-operation',
    file: erasure,
    find: "if (!isOwn || own.custom?.status !== 'erased')",
    replace: 'if (!isOwn)',
    breaks: 'The proof of a drop counts as that of an erasure.',
  },
  {
    id: 'erased-meta',
    file: erasure,
    find: 'if (!isBare || meta.moment',
    replace: 'if (meta.moment',
    breaks: 'An erased record has owners.',
  },
  {
    id: 'erased-statement-without-leaf',
    file: tree,
    find: "if (action === 'erase')",
    replace: "if (action === 'x')",
    breaks: 'A record is erased, and the log says nothing of it.',
  },
  {
    id: 'erased-wallet-with-movements',
    file: 'packages/verifier/src/erased/wallets.ts',
    find: 'if (row === undefined) return true;',
    replace: 'if (row === undefined) return false;',
    breaks: 'Movements of an erased wallet are made up.',
  },
  {
    id: 'erased-wallet-with-a-balance',
    file: 'packages/verifier/src/books.ts',
    find: 'if (available.amount !== 0 || (reserved?.amount ?? 0) !== 0)\n',
    replace: 'if (available.amount < 0)\n',
    breaks: 'Money lies in a wallet that is erased.',
  },
  {
    id: 'erased-intents-ghost',
    file: 'packages/verifier/src/books.ts',
    find: 'if (this.#lives.nameOf(record) < 0 && !this.#erased.has(wallet))',
    replace: 'if (false)',
    breaks: 'What an erased intent brings in is set against a wallet that does not exist.',
    tests: ['packages/server/test/archive/tree/erased-intents.test.ts'],
  },
  {
    id: 'erased-intents-left',
    file: 'packages/verifier/src/books.ts',
    find: 'if (available === 0 && reserved === 0) return;',
    replace: 'return;',
    breaks: 'A debit of a living wallet is put down to one that is erased.',
    tests: ['packages/server/test/archive/tree/erased-intents.test.ts'],
  },
  ...intents([
    [
      'statement',
      'if (statement !== undefined && last >= statement)',
      'if (false)',
      'An erased intent goes on moving money.',
    ],
    [
      'changes',
      'if (changes.length > BOOKED)',
      'if (false)',
      'Movements are put down to any change of an erased intent.',
    ],
    ['twice', 'if (places.size < entries.filter(isMoving).length)', 'if (false)', 'An erased intent pays twice.'],
    [
      'reserve',
      'if (change !== last && (reservedBy <= 0 || availableBy !== -reservedBy))',
      'if (false)',
      'An erased intent that reserved nothing gets a second movement.',
    ],
    ['reserved', 'if (reserved !== 0) fault(', 'if (false) fault(', 'What an erased intent reserved stays so.'],
    [
      'limit',
      ': this.#setting.get(place)?.moments.has(moment) === true;',
      ': true;',
      'A limit that nobody has set is put down to an erased intent.',
    ],
    [
      'minimum-before',
      'if (!marks || moment < marks.first)',
      'if (!marks)',
      'A movement of 0 of an erased intent switches a minimum off for all time.',
    ],
    ['counted', 'this.#movements += 1;', '', 'Nobody is told of movements that rest on an erased intent.'],
  ]),
];
