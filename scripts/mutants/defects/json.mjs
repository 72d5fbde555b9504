/** How JSON is read, under engines that misread it too. */
export const mutants = [
  {
    id: 'json-scan',
    file: 'packages/protocol/src/json-text.ts',
    find: "if (text[skipSpace(text, end)] === ':') return true;",
    replace: "if (text[end] === ':') return true;",
    breaks: 'The engine misreads a name with an escape that space comes after.',
    tests: ['packages/protocol/test/read-json.test.ts'],
  },
  {
    id: 'json-replace',
    file: 'packages/protocol/src/replace-json-parse.ts',
    find: 'if (misreadsJson()) JSON.parse',
    replace: 'if (!misreadsJson()) JSON.parse',
    breaks: 'Libraries misread JSON under Node.js 23 to 26.',
    tests: ['packages/protocol/test/replace-json-parse.deep.test.ts'],
  },
];
