/** Lines that would exhaust whoever verifies an export. */
const src = (path) => `packages/verifier/src/${path}`;

export const tests = ['packages/server/test/archive/tree/hostile.test.ts'];

export const mutants = [
  {
    id: 'hostile-depth-of-lines',
    file: src('lines.ts'),
    find: "if (isTooDeep(text)) return 'is nested deeper than any of an export';",
    replace: '',
    breaks: 'A line of brackets ends the verification, and nothing behind it is looked at.',
  },
  {
    id: 'hostile-depth-of-texts',
    file: src('lines.ts'),
    find: "if (typeof text === 'string' && isTooDeep(text)) return",
    replace: "if (typeof text === 'string' && text === member) return",
    breaks: 'A text of brackets ends the verification.',
  },
  {
    id: 'hostile-depth-within-strings',
    file: src('bounds.ts'),
    find: 'at = endOfString(text, at);',
    replace: '',
    breaks: 'A record whose text has brackets is no record.',
  },
  {
    id: 'hostile-escapes',
    file: src('bounds.ts'),
    find: 'if (escapes % 2 === 0) return at;',
    replace: 'if (escapes === 0) return at;',
    breaks: 'Brackets hide behind an escaped backslash.',
  },
  {
    id: 'hostile-length',
    file: src('lines.ts'),
    find: 'if (text.length > LONGEST_LINE)',
    replace: 'if (text.length < 0)',
    breaks: 'A line of any length is taken.',
  },
  {
    id: 'hostile-half-characters',
    file: src('version.ts'),
    find: "if (text?.includes('\\\\ud') && !isCanonical(record))",
    replace: 'if (text === undefined)',
    breaks: 'Half of a character ends the verification.',
  },
  {
    id: 'hostile-text-that-is-no-record',
    file: src('record-history.ts'),
    find: 'this.#latest = { ...version, record: recordOf(version) };',
    replace: 'this.#latest = version;',
    breaks: 'A text of null ends the verification, and nothing behind it is looked at.',
  },
  {
    id: 'hostile-depth-behind-brackets',
    file: src('bounds.ts'),
    find: "['{', '[']",
    replace: "['{']",
    breaks: 'Arrays within one another count as flat.',
  },
  {
    id: 'same-json-in-any-order',
    file: src('same-json.ts'),
    find: 'names.every((name, at) => name === others[at] && isSameJson(one[name], other[name]))',
    replace: 'names.every((name) => isSameJson(one[name], other[name]))',
    breaks: 'What is written in another order counts as the same.',
    tests: ['packages/verifier/test/same-json.test.ts'],
  },
  {
    id: 'same-json-of-less',
    file: src('same-json.ts'),
    find: 'names.length === others.length &&',
    replace: '',
    breaks: 'What has more members counts as the same.',
    tests: ['packages/verifier/test/same-json.test.ts'],
  },
];
