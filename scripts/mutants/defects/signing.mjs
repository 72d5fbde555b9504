/** Defects of the thread that signs and verifies, and of what is gathered for it (decisions 0028, 0037). */
const src = (path) => `packages/server/src/${path}`;
const test = (path) => `packages/server/test/money/${path}`;
const ahead = [test('request-signatures.test.ts')];

export const tests = [test('signing.test.ts')];

export const mutants = [
  {
    id: 'signing-signature-of-another',
    file: src('keys/signing.ts'),
    find: 'if (first?.number !== number || first.question.length !== bytes.length) {',
    replace: 'if (first === undefined) {',
    breaks: 'A proof gets the signature of another.',
  },
  {
    id: 'signing-key-of-another',
    file: src('keys/signing.ts'),
    find: 'return known < 0 ? keys.push(key) - 1 : known;',
    replace: 'return known < 0 ? keys.push(key) - 1 : 0;',
    breaks: 'A proof is signed with the key of another signer.',
  },
  {
    id: 'signing-signatures-lost',
    file: src('keys/signing.ts'),
    find: '    for (const asked of [...this.#asked]) this.#tell(asked);\n',
    replace: '',
    breaks: 'Intents wait for ever for signatures that a thread died with.',
  },
  {
    id: 'signing-signatures-dropped',
    file: src('keys/signing.ts'),
    find: '    if (!this.#worker) this.#answerAllHere();\n',
    replace: '',
    breaks: 'Intents wait for ever where no thread can be started.',
  },
  {
    id: 'signing-untold-left',
    file: src('keys/signing.ts'),
    find: 'this.#asked = this.#asked.filter((one) => one !== asked);',
    replace: 'void 0;',
    breaks: 'Once a message could not be sent, each answer is taken for the question before.',
  },
  {
    id: 'signing-ahead-of-one-ledger',
    file: src('keys/request-signatures.ts'),
    find: 'if (before >= perLedger) return undefined;',
    replace: '',
    breaks: 'A ledger takes all places of others.',
    tests: ahead,
  },
  {
    id: 'signing-ahead-in-turns',
    file: src('keys/request-signatures.ts'),
    find: '{ ...bounds, weigh:',
    replace: '{ ...bounds, batch: 1, weigh:',
    breaks: 'The requests of many ledgers are verified one after the other.',
    tests: ahead,
  },
  {
    id: 'signing-verified-whatever',
    file: src('keys/signing.ts'),
    find: 'bytes[at] === 1',
    replace: 'bytes[at] !== undefined',
    breaks: 'The thread has found that a signature is wrong, and it counts.',
  },
  {
    id: 'signing-verified-by-another',
    file: src('keys/signing.ts'),
    find: 'all.set(key, at * CHECK_BYTES + SIGNATURE_BYTES + DIGEST_BYTES);',
    replace: 'all.set(checks[0]!.key, at * CHECK_BYTES + SIGNATURE_BYTES + DIGEST_BYTES);',
    breaks: 'Signatures are verified with the key of another.',
  },
  {
    id: 'signing-ahead-of-another',
    file: src('keys/request-signatures.ts'),
    find: 'return outs.slice(at - length, at);',
    replace: 'return outs.slice(0, length);',
    breaks: 'One intent is refused for the signature of another, or taken for it.',
    tests: ahead,
  },
  ...['signature', 'digest', 'key'].map((part) => ({
    id: `signing-ahead-of-any-${part}`,
    file: src('keys/request-signatures.ts'),
    find: 'Buffer.concat([signature, digest, key])',
    replace: `Buffer.concat([${['signature', 'digest', 'key'].filter((one) => one !== part)}])`,
    breaks: `What is known of a signature counts for another ${part}.`,
    tests: ahead,
  })),
  {
    id: 'signing-ahead-without-bound',
    file: src('keys/request-signatures.ts'),
    find: 'if (sent.length > limits.signatures.ahead) return suite;',
    replace: '',
    breaks: 'A request with many signatures has all others wait for the thread.',
    tests: ahead,
  },
  {
    id: 'signing-first-version-unsigned',
    file: src('operations/create/make-record.ts'),
    find: '  await sign(session, kind, unsigned);\n',
    replace: '  void sign(session, kind, unsigned);\n',
    breaks: 'Clients are answered with proofs that are not signed yet.',
    tests: ahead,
  },
  {
    id: 'signing-thread-left',
    file: src('keys/signing.ts'),
    find: '    this.#isClosed = true;\n',
    replace: '',
    breaks: 'A server that was closed starts a thread.',
  },
];
