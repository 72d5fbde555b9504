import type { JsonObject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { KIND_NAMES, kindFacts, kindOfLuid, reportSuccessors, uniqueKey } from '../../../verifier/src/kinds.js';
import type { Kind } from '../../src/kinds/kind.js';
import { kindNamed, kinds } from '../../src/kinds/registry.js';
import { examples } from './examples.js';

/** The verifier knows the kinds by a table of its own, because it checks what the server does: the two must agree. */
describe("the verifier's table of kinds", () => {
  it('has every kind of the server, and no other', () => {
    expect([...KIND_NAMES].sort()).toEqual(kinds.map(({ name }) => name).sort());
  });

  it.each(kinds)('says of $name what the server does', (kind) => {
    const { name, prefix, links, lifecycle } = kind;
    const { under, inParentsDomain } = links;
    expect(kindOfLuid(`$${prefix}.0123456789abcdef0`)).toBe(name);
    expect(kindFacts(name)).toEqual({
      prefix,
      ...(lifecycle.operations.includes('update') && links.renamable !== false ? { isRenamable: true } : {}),
      ...(under && inParentsDomain ? { domainOf: under } : {}),
      ...(lifecycle.erasable === undefined ? { isKept: true } : {}),
      ...nullableOf(kind),
    });
    const data = examples[name].minimal('one');
    expect(uniqueKey(name, data)).toBe(links.key?.(data) ?? data.handle);
  });

  it('has the statuses of reports in the order of the server, which limits those of no other kind', () => {
    expect(kinds.filter(({ lifecycle }) => lifecycle.transition).map(({ name }) => name)).toEqual(['report']);
    const { statuses = [], transition } = kindNamed('report').lifecycle;
    for (const from of ['created', ...statuses])
      for (const to of statuses)
        expect(reportSuccessors(from).includes(to), `${from} to ${to}`).toBe(transition?.(from, to) === 'moves');
  });
});

/** The member that the hash may leave out where it is null; of a domain it is the parent, which has a rule of its own. */
function nullableOf({ name, data: { order, hashed } }: Kind): { readonly nullable?: string } {
  if (name === 'domain' || hashed === undefined) return {};
  const [nullable, ...others] = order.filter(
    (member) => hashed({ [member]: null } satisfies JsonObject, undefined).length > 1,
  );
  expect(others).toEqual([]);
  return nullable === undefined ? {} : { nullable };
}
