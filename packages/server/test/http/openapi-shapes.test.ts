import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../src/kinds/registry.js';
import { newLedger } from '../support/client.js';
import { withServer } from '../support/server.js';
import { Description } from './description.js';

type Schema = Record<string, unknown>;

describe('what generators make types of', () => {
  const server = withServer();
  let described: Description;
  beforeAll(async () => {
    described = await Description.of(server.current.url);
  });

  it('types every answer, and every part of one', () => {
    const typed = new Set<string>();
    for (const { name, operation } of described.operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { content = {} } = described.resolved(response) as { content?: Record<string, { schema: Schema }> };
        for (const { schema } of Object.values(content)) expectTyped(described, schema, `${name} ${status}`, typed);
      }
    }
    expect(typed.size).toBeGreaterThan(kinds.length * 3);
  });

  it('says of what is free that it is open, in requests and answers', () => {
    const free: string[] = [];
    eachObject(described.document, 'document', (schema, place) => {
      if (/\/custom$/.test(place)) free.push(place);
      if (schema.type !== 'object') return;
      const members = Object.keys((schema.properties as Schema | undefined) ?? {}).length;
      const says = ['additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'maxProperties'];
      expect(members > 0 || says.some((keyword) => keyword in schema), place).toBe(true);
      if (/\/custom$/.test(place)) expect(schema.additionalProperties, place).toBe(true);
    });
    expect(free.length).toBeGreaterThan(40);
  });

  it.each(kinds)('requires hash, data, luid, meta and proofs of every $name that is answered', ({ name }) => {
    const { schemas = {} } = described.document.components as Record<string, Record<string, Schema>>;
    const requiredOf = (schema: Schema | undefined): string[] => {
      const { required = [], allOf = [] } = described.resolved(schema) as { required?: string[]; allOf?: Schema[] };
      return [...required, ...allOf.flatMap(requiredOf)];
    };
    for (const one of [name, `${name}-change`]) {
      const { properties } = schemas[one] as { properties: Record<string, Schema> };
      expect(requiredOf(schemas[one])).toEqual(['hash', 'data', 'luid', 'meta']);
      expect(requiredOf(properties.meta)).toEqual(expect.arrayContaining(['proofs', 'moment', 'owners']));
    }
    expect(requiredOf(schemas.proof)).toEqual(['method', 'public', 'digest', 'result']);
    for (const [list, item] of [
      [`${name}-list`, name],
      [`${name}-changes`, `${name}-change`],
    ] as const) {
      expect(requiredOf(schemas[list])).toEqual(['hash', 'meta', 'data', 'page']);
      const { data } = (schemas[list] as { properties: Schema }).properties;
      expect(data).toEqual({ type: 'array', items: { $ref: `#/components/schemas/${item}` } });
    }
  });

  it('finds in an answer what it lacks, and what is not described', async () => {
    const client = await newLedger(server.current.url);
    const { body: record } = await client.create('/wallets', { handle: 'drift' });
    const errors = (changes: object) => {
      const changed = JSON.parse(JSON.stringify({ ...record, ...changes }));
      return described.answerErrors('GET', '/wallets/drift', 200, changed);
    };
    expect(errors({})).toBeUndefined();
    const wrong = [
      { more: 1 },
      { luid: undefined },
      { hash: undefined },
      { data: { ...record.data, more: 1 } },
      { meta: { ...record.meta, more: 1 } },
      { meta: { ...record.meta, thread: 'x' } },
      { meta: { ...record.meta, proofs: undefined } },
      { meta: { ...record.meta, proofs: [{ ...record.meta.proofs[0], more: 1 }] } },
      { meta: { ...record.meta, labels: null } },
    ];
    expect(wrong.filter((changes) => errors(changes) === undefined)).toEqual([]);
  });
});

/** Calls back for every object of a document with its place in it. */
function eachObject(value: unknown, place: string, found: (object: Schema, place: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) found(value as Schema, place);
  // What examples hold is data, not schemas.
  const parts = Object.entries(value).filter(([name]) => name !== 'example');
  for (const [name, inner] of parts) eachObject(inner, `${place}/${name}`, found);
}

/** The schema and all below it say what they are: generators make `unknown` of what does not. */
function expectTyped(described: Description, schema: Schema | false, place: string, seen: Set<string>): void {
  // What is never there.
  if (schema === false) return;
  if (typeof schema.$ref === 'string') {
    if (seen.has(schema.$ref)) return;
    seen.add(schema.$ref);
    expectTyped(described, described.resolved(schema) as Schema, schema.$ref, seen);
    return;
  }
  const { type, properties, items, ...others } = schema as Schema & { properties?: Record<string, Schema> };
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => (others[keyword] ?? []) as Schema[]);
  expect(type !== undefined || branches.length > 0, `${place} has no type`).toBe(true);
  if (properties || schema.required) expect([type].flat(), place).toContain('object');
  if ([type].flat().includes('array')) expect(items, `${place} has no items`).toBeDefined();
  if (type === 'object' && !properties)
    expect('additionalProperties' in others || branches.length > 0, place).toBe(true);
  // What is stored without being looked at has items of any kind.
  if (items && Object.keys(items).length > 0) expectTyped(described, items as Schema, `${place}[]`, seen);
  for (const [name, inner] of Object.entries(properties ?? {})) expectTyped(described, inner, `${place}.${name}`, seen);
  // A branch that only asks for members is no type of its own.
  for (const branch of branches.filter((one) => !isCondition(one))) expectTyped(described, branch, place, seen);
}

function isCondition({ required, properties, ...others }: Schema): boolean {
  const members = Object.values((properties ?? {}) as Record<string, object>);
  return Object.keys(others).every((name) => name === 'type') && members.every((one) => Object.keys(one).length === 0);
}
