import { describe, expect, it } from 'vitest';
import { recordRoutes } from '../../src/http/routes.js';
import { kinds } from '../../src/kinds/registry.js';
import { OPERATIONS } from '../../src/operations/operations.js';
import { expectRows, rowsOf, section } from '../support/documents.js';

const README = 'docs/interface/README.md';

describe('the registry of operations', () => {
  it('names each once, and each is of some kind', () => {
    expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
    for (const { name, isOf } of OPERATIONS) expect(kinds.some(isOf), name).toBe(true);
  });

  it('has every operation that a kind names', () => {
    // Of the history there are two, and one word for both.
    const names = OPERATIONS.map(({ name }) => name);
    for (const { name, lifecycle } of kinds) {
      for (const operation of lifecycle.operations) expect(names, `${operation} of ${name}`).toContain(operation);
    }
  });

  it('has in docs/interface a row for each route of an operation that not every kind could have', () => {
    const [head = []] = rowsOf(section(README, 'operations'));
    const common = [...head, 'change', 'inclusion', 'erase'];
    const routes = recordRoutes().filter(({ operation }) => !common.includes(operation.name));
    const served = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const told = rowsOf(section(README, 'own-operations')).slice(1);
    expectRows(README, 'own-operations', told.map(([, request = '']) => request).toSorted(), served.toSorted());
  });
});
