import { expect } from 'vitest';
import { seeded } from '../../server/test/support/seed.js';
import { readJson } from '../src/index.js';

export const random = seeded();
export const below = (count: number) => Math.floor(random() * count);
export const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;

/** Characters of names: those that need an escape, those that an escape is made of, and what may end a name. */
const CHARACTERS = [
  '\\',
  '\n',
  '\u0000',
  '"',
  '/',
  'u',
  'n',
  '0',
  '5',
  'c',
  ':',
  ',',
  '{',
  '}',
  'é',
  '\u2028',
  '\ud800',
  'b',
];

/** As a string of JSON, each character with an escape or without, as far as it may be. */
function spell(text: string): string {
  const spelt = [...text].map((character) => {
    const code = character.codePointAt(0)!;
    const full = `\\u${code.toString(16).padStart(4, '0')}`;
    const short = JSON.stringify(character).slice(1, -1);
    if (code < 0x20 || character === '"' || character === '\\') return pick([full, short]);
    return pick([character, character, full, character === '/' ? '\\/' : character]);
  });
  return `"${spelt.join('')}"`;
}

type Member = readonly [name: string, value: unknown];

/** Few names to an object, so that many objects begin alike. */
function drawMembers(depth = 0): Member[] {
  return Array.from({ length: 1 + below(3) }, () => {
    const name = Array.from({ length: below(3) }, () => pick(CHARACTERS)).join('');
    const value = depth < 2 && random() < 0.2 ? Object.fromEntries(drawMembers(depth + 1)) : below(3);
    return [name, value] as const;
  });
}

function write(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(writeMember)
    .join(pick([',', ' , ']))}}`;
}

const writeMember = ([name, value]: Member) => `${spell(name)}${pick([':', ' :\n', ':'])}${write(value)}`;

/** Members in their order, within members too. */
function membersOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, member]) => [name, membersOf(member)])
    : value;
}

/** Reads so many objects that were drawn, of which many begin like others that are alive, and compares each with what was meant. */
export function readMany(count: number): void {
  // The engine goes by objects that are alive: of its own reading, of ours, and copies.
  const kept: unknown[] = [];
  for (let round = 0; round < count; round++) {
    const members = drawMembers();
    const text = `{${members.map(writeMember).join(',')}}`;
    const value = readJson(text) as object;
    const meant = membersOf(Object.fromEntries(members));
    if (JSON.stringify(membersOf(value)) !== JSON.stringify(meant)) expect(membersOf(value), text).toEqual(meant);
    kept[round % 2_000] = pick([value, { ...value }, JSON.parse(JSON.stringify(value)), JSON.parse(text)]);
  }
}
