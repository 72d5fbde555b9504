import { Type } from 'typebox';
import { common, Handle, strictObject } from './data.js';
import type { KindDeclaration } from './declaration.js';

const factors = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** A unit of account. Amounts are integers in 1/factor units (interface/wallets#symbols). */
export const symbol: KindDeclaration = {
  name: 'symbol',
  about: 'What balances are counted in, such as a currency.',
  title: 'Symbol',
  missing: 'Symbol',
  prefix: 'sym',
  path: 'symbols',
  data: {
    shape: strictObject({ handle: Handle, factor: Type.Integer({ enum: factors }), ...common }),
    order: ['handle', 'schema', 'factor', 'custom', 'access'],
    schemas: 'applied',
  },
  lifecycle: {
    operations: ['create', 'list', 'read', 'update', 'proof', 'drop', 'changes', 'check'],
    erasable: 'dropped',
    signals: ['symbol-created', 'symbol-updated', 'symbol-proofs-added'],
  },
  links: {
    holds: {
      by: 'symbol',
      refusal: (handle) => ({ detail: `Cannot drop symbol '${handle}' with balance different from zero` }),
    },
    fixes: {
      member: 'factor',
      by: 'factor',
      refusal: (handle) => ({
        detail: `Cannot change factor of symbol '${handle}' with amounts counted in it`,
        hint: 'Balances, limits and intents would mean other amounts. Create another symbol, and move the balances to it.',
      }),
    },
    renamable: false,
  },
  filters: { access: { data: '^factor$' } },
};
