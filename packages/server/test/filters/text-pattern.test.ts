import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { compileTextMatcher, findsIn } from '../../src/access/text-matcher.js';
import { UNBOUNDED } from '../../src/metering/task.js';
import { likePattern, regexPattern } from '../../src/store/queries/text-pattern-sql.js';

/** Characters that stand for others in either language, and long ones. */
const many = fc.constantFrom(...'ab%_.*\\^$|?+()[]{}"', '😀', 'é', '\n');
/** So few that escaped wildcards often nearly match. */
const few = fc.constantFrom(...'a%_\\');
const textOf = (character: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(character, { maxLength }).map((characters) => characters.join(''));
const pair = fc.oneof(...[many, few].map((some) => fc.tuple(textOf(some, 6), textOf(some, 12))));

let database: pg.Client;

beforeAll(async () => {
  database = new pg.Client({ connectionString: inject('databaseUrl') });
  await database.connect();
});

afterAll(() => database.end());

/** In one round trip: what the two operators of PostgreSQL find, for each pattern and its text. */
async function found(pairs: readonly (readonly [string, string])[]): Promise<{ like: boolean; regex: boolean }[]> {
  const paths = pairs.map(([pattern]) => `$ ? (@ like_regex ${JSON.stringify(regexPattern(pattern))} flag "s")`);
  const statement = `select text like pattern escape '\\' as like, to_jsonb(text) @? path::jsonpath as regex
    from unnest($1::text[], $2::text[], $3::text[]) with ordinality as pair(text, pattern, path, number) order by number`;
  const { rows } = await database.query(statement, [
    pairs.map(([, text]) => text),
    pairs.map(([pattern]) => likePattern(pattern)),
    paths,
  ]);
  return rows;
}

it('rules and both columns and documents of lists find the same by $regex', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 100, maxLength: 100, size: 'max' }), async (pairs) => {
      const inDatabase = await found(pairs);
      pairs.forEach(([pattern, text], index) => {
        const matched = findsIn(compileTextMatcher(pattern), text, UNBOUNDED);
        expect({ pattern, text, ...inDatabase[index] }).toEqual({ pattern, text, like: matched, regex: matched });
      });
    }),
    { numRuns: 40 },
  );
});

it('a part of a text, spelled with escapes and wildcards, is found everywhere', async () => {
  const spelled = fc
    .tuple(textOf(many, 6), textOf(many, 6), textOf(many, 6), fc.infiniteStream(fc.integer({ min: 0, max: 3 })))
    .map(([before, part, after, choices]) => {
      const pattern = [...part].map((one) => ['_', '.', `\\${one}`, `%\\${one}.*`][choices.next().value ?? 0]).join('');
      return [pattern, `${before}${part}${after}`] as const;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(spelled, { minLength: 50, maxLength: 50, size: 'max' }), async (pairs) => {
      const inDatabase = await found(pairs);
      pairs.forEach(([pattern, text], index) => {
        expect(findsIn(compileTextMatcher(pattern), text, UNBOUNDED), `${pattern} in ${text}`).toBe(true);
        expect({ pattern, text, ...inDatabase[index] }).toEqual({ pattern, text, like: true, regex: true });
      });
    }),
    { numRuns: 20 },
  );
});
