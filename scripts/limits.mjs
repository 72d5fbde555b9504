import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readJsonFile } from './json.mjs';
import { root } from './root.mjs';

const sources = join(root, 'packages/server/src');

/** Objects of limits, as rooms declare them. */
const LIMITS = /\/\*\*((?:(?!\*\/).)*)\*\/\nexport const (\w+Limits|tokenLifetime) = \{\n(.*?)\n\} as const;/gs;

/** A comment; a member that is an object; one that is a number; the end of an object. */
const TOKEN = /\/\*\*(.*?)\*\/|(\w+): \{|(\w+): ([^,{}]+)|\}/gs;

/** What the first word of a comment says of the numbers below it. */
const UNITS = {
  Bytes: (value) =>
    scaled(value, [
      [1024 * 1024, 'MiB'],
      [1024, 'KiB'],
      [1, 'bytes'],
    ]),
  Milliseconds: (value) =>
    scaled(value, [
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1_000, 's'],
      [1, 'ms'],
    ]),
  Seconds: (value) =>
    scaled(value, [
      [3600, 'h'],
      [1, 's'],
    ]),
  Minutes: (value) => `${value} min`,
  Characters: (value) => `${counted(value)} characters`,
  Kilobytes: (value) => `${counted(value)} kB`,
  Bits: (value) => `${counted(value)} bits`,
  Steps: (value) => `${counted(value)} steps`,
};

/**
 * All limits of the server as a table in Markdown, in the order of the rooms.
 *
 * @throws Error naming a limit without a comment
 */
export function renderLimits() {
  const rows = filesOfRooms().flatMap((path) => rowsOf(relative(sources, path), readFileSync(path, 'utf8')));
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  return ['| Room | Limit | Value | What it bounds |', '|---|---|---|---|', ...lines, ''].join('\n');
}

/** The sources of all rooms, from the lowest room to the highest. */
function filesOfRooms() {
  const rooms = readJsonFile(join(root, 'lint/rooms.json')).map((line) => line.room ?? line);
  const files = rooms
    .filter((room) => !room.endsWith('.ts'))
    .map((room) => readdirSync(join(sources, room), { recursive: true, withFileTypes: true }));
  return files.flatMap((entries) =>
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort(),
  );
}

/** The rows of the limits in a file: one for each object, then one for each comment in it. */
function rowsOf(file, text) {
  const [room] = file.split('/');
  return [...text.matchAll(LIMITS)].flatMap(([, comment, name, body]) => [
    [`\`${room}\``, `**\`${name}\`** in \`${file}\``, '', textOf(comment)],
    ...limitsOf(body, name).map(({ path, values, comment: own }) => [
      `\`${room}\``,
      `\`${path}\``,
      values.map(([of, value]) => (of ? `${of} ` : '') + withUnit(own, value)).join(', '),
      textOf(own),
    ]),
  ]);
}

/** The limits in the text of an object: under each comment the numbers that it is about, by their names below it. */
function limitsOf(body, of) {
  const limits = [];
  const open = [];
  let comment;
  const add = (name) => {
    const path = [...open.map((one) => one.name), name].join('.');
    const limit = comment === undefined ? undefined : { path, values: [], comment };
    if (limit) limits.push(limit);
    comment = undefined;
    return limit;
  };
  for (const [token, text, object, number, value] of body.matchAll(TOKEN)) {
    if (text !== undefined) comment = text;
    else if (object !== undefined) open.push({ limit: add(object), name: object });
    else if (token === '}') open.pop();
    else {
      const own = add(number);
      const at = own ? open.length : open.findLastIndex(({ limit }) => limit);
      const limit = own ?? open[at]?.limit;
      if (!limit) throw new Error(`${of}.${[...open.map((one) => one.name), number].join('.')} has no comment.`);
      const below = own ? [] : [...open.slice(at + 1).map((one) => one.name), number];
      limit.values.push([below.join('.'), numberOf(value)]);
    }
  }
  return limits;
}

/** The value of sums, products and quotients of numbers. */
function numberOf(text) {
  const quotient = (factor) =>
    factor
      .split('/')
      .map((one) => Number(one.replaceAll('_', '')))
      .reduce((a, b) => a / b);
  const product = (term) =>
    term
      .split('*')
      .map(quotient)
      .reduce((a, b) => a * b);
  const value = text
    .split('+')
    .map(product)
    .reduce((a, b) => a + b);
  if (Number.isNaN(value)) throw new Error(`a limit is no number: ${text}`);
  return value;
}

function withUnit(comment, value) {
  const [word] = textOf(comment).split(/[ ,]/);
  return (UNITS[word] ?? counted)(value);
}

function scaled(value, units) {
  const [size, name] = units.find(([one]) => value % one === 0);
  return `${counted(value / size)} ${name}`;
}

function counted(value) {
  return value.toLocaleString('en', { maximumFractionDigits: 4 });
}

/** The text of a comment in one line, with links to the pages of the interface that it cites. */
function textOf(comment) {
  return comment
    .replaceAll(/\s*\n\s*\*?\s*/g, ' ')
    .trim()
    .replaceAll('|', '\\|')
    .replaceAll(
      /interface\/([\w-]+)(#[\w-]+)?/g,
      (_, page, anchor = '') => `[${page}](../interface/${page}.md${anchor})`,
    );
}
