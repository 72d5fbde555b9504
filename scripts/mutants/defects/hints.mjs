/** What refusals tell of their causes. */
const src = (path) => `packages/server/src/${path}`;

export const tests = ['packages/server/test/hints'];

export const mutants = [
  {
    id: 'hints-of-hidden-rules',
    file: src('access/hint.ts'),
    find: "  if (!judge('read', 'ledger', caller, around).granted) return undefined;\n",
    replace: '',
    breaks: 'A hint tells of rules that the caller may not read.',
  },
  {
    id: 'hints-of-many-rules',
    file: src('access/hint.ts'),
    find: 'ledger.access.length > MOST_RULES',
    replace: 'ledger.access.length > MOST_RULES + 1',
    breaks: 'Rules without bound are judged again for a hint.',
  },
  {
    id: 'hints-of-who-is-not-meant',
    file: src('access/hint.ts'),
    find: 'one.rule.signer && meets(one, asSigner(caller))',
    replace: 'one.rule.signer',
    breaks: 'A caller is told of a rule that is for others.',
  },
  {
    id: 'hints-of-large-data',
    file: src('records/hints.ts'),
    find: 'if (text.length > MOST_CHARACTERS) return undefined;',
    replace: '',
    breaks: 'Large data is hashed many times for a hint.',
  },
  {
    id: 'hints-of-known-signers',
    file: src('auth/token.ts'),
    find: 'const HINTS: Partial<Record<TokenFault, string>> = {',
    replace:
      "const HINTS: Partial<Record<TokenFault, string>> = {\n  'signer-unknown': 'There is no such signer here.',",
    breaks: 'A hint tells which signers there are.',
  },
];
