/** How JSON is read, under engines that misread it too. */
const protocol = (name) => `packages/protocol/src/${name}.ts`;
const PROTOCOL = 'packages/protocol/test/';
const START = 'packages/server/test/start.deep.test.ts';

export const tests = [
  `${PROTOCOL}json-engine.test.ts`,
  `${PROTOCOL}read-json.test.ts`,
  `${PROTOCOL}replace-json-parse.deep.test.ts`,
];

export const mutants = [
  {
    id: 'json-scan',
    file: protocol('json-text'),
    find: "if (text[skipSpace(text, end)] === ':') return true;",
    replace: "if (text[end] === ':') return true;",
    breaks: 'The engine misreads a name with an escape that space comes after.',
  },
  {
    id: 'json-scan-first',
    file: protocol('json-text'),
    find: 'end = endOfString(text, backslash);',
    replace: 'end = endOfString(text, backslash + 1);',
    breaks: 'An escaped quote ends a string, and names after it are taken for values.',
  },
  {
    id: 'json-read',
    file: protocol('read-json'),
    find: 'return hasEscapedName(text) ? parseStrictly(text, bounds) : native(text);',
    replace: 'return native(text);',
    breaks: 'What a tenant has sent decides how the names of others are read.',
    tests: ['packages/server/test/json/misread.deep.test.ts', `${PROTOCOL}replace-json-parse.deep.test.ts`],
  },
  {
    id: 'json-inherited',
    file: protocol('json-reader'),
    find: 'else if (name in Object.prototype) {',
    replace: "else if (name === '') {",
    breaks: 'A member named __proto__ becomes the prototype of its object.',
  },
  {
    id: 'json-two-members',
    file: protocol('json-engine'),
    find: `['{"countersign":0,"\\\\\\\\":0}', '{"countersign":0,"\\\\n":0}'],`,
    replace: '',
    breaks: 'An engine that misreads objects of two members alone is taken for a right one.',
  },
  {
    id: 'json-replace',
    file: protocol('replace-json-parse'),
    find: 'if (misreadsJson()) JSON.parse',
    replace: 'if (!misreadsJson()) JSON.parse',
    breaks: 'Libraries misread JSON under Node.js 23 to 26.',
  },
  {
    id: 'json-replace-server',
    file: 'packages/server/src/main.ts',
    find: "void import('@countersign/protocol/replace-json-parse')",
    replace: 'void Promise.resolve()',
    breaks: 'The libraries of the server misread JSON under Node.js 23 to 26.',
    built: true,
    tests: [START],
  },
  {
    id: 'json-replace-thread',
    file: 'packages/server/src/signing/worker.ts',
    find: "import '@countersign/protocol/replace-json-parse';",
    replace: '',
    breaks: 'The libraries of the thread that signs misread JSON under Node.js 23 to 26.',
    built: true,
    tests: [START],
  },
  {
    id: 'json-replace-command',
    file: 'packages/cli/src/main.ts',
    find: "import '@countersign/protocol/replace-json-parse';",
    replace: '',
    breaks: 'The libraries of the command misread JSON under Node.js 23 to 26.',
    tests: ['packages/cli/test/node-version.test.ts'],
  },
];
