import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/operations.js';
import { read } from '../support/documents.js';

/** Where the steps of each operation are listed, each with the reasons for which it refuses. */
const FILES: Readonly<Record<string, string>> = {
  create: 'create/create.ts',
  update: 'update.ts',
  proof: 'prove.ts',
  drop: 'drop.ts',
  read: 'read.ts',
  list: 'list.ts',
};

describe('the steps of an operation', () => {
  it.each(Object.entries(FILES))('%s: refuse for reasons that its description names', (name, file) => {
    const steps = [
      ...read(`packages/server/src/operations/${file}`).matchAll(/[;,] +\/\/ (\w+\.[\w-]+(?:, \w+\.[\w-]+)*)$/gm),
    ];
    const reasons = new Set(steps.flatMap(([, all = '']) => all.split(', ')));
    const { always, nested = [] } = OPERATIONS.find((one) => one.name === name)!.refusals;
    expect(reasons.size).toBeGreaterThan(2);
    expect([...reasons].filter((reason) => ![...always, ...nested].includes(reason as never))).toEqual([]);
  });
});
