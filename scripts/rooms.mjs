import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readJsonFile } from './json.mjs';
import { root } from './root.mjs';

/** Files that a room may hold, and a folder within it. */
const MOST = 25;

/**
 * The rooms of the server, from the lowest to the highest. A room may import those before it; with `only`, none but these,
 * which stand before it as well. So no cycle between rooms is possible.
 */
const LIST = 'lint/rooms.json';

/** The rules of the linter that follow from the list. */
const RULES = 'lint/rooms.biome.json';

const ORDER = `Imports between rooms go one way: ${LIST} has the order.`;
const sources = 'packages/server/src';

function readRooms() {
  return readJsonFile(join(root, LIST)).map((line) => (typeof line === 'string' ? { room: line } : line));
}

/** The text of the rules: first what holds for every file, then a rule for each room, which takes its place. */
function makeRules(rooms) {
  const overrides = [
    rule('**', `A new room needs its line in ${LIST}.`, ['../**']),
    rule('*.ts', ORDER, ['./**', '../**']),
    ...rooms.flatMap(({ room, only }, index) => {
      const allowed = only ?? rooms.slice(0, index).map((one) => one.room);
      if (isFile(room)) return [rule(room, ORDER, ['./**', '../**', ...allowing('./', allowed)])];
      return [
        rule(`${room}/*.ts`, ORDER, ['../**', ...allowing('../', allowed)]),
        rule(`${room}/*/**`, ORDER, ['../../**', ...allowing('../../', allowed)]),
      ];
    }),
  ];
  return `{\n  "overrides": [\n${overrides.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]\n}\n`;
}

function rule(files, message, group) {
  const noRestrictedImports = { level: 'error', options: { patterns: [{ message, group }] } };
  return { includes: [`**/server/src/${files}`], linter: { rules: { style: { noRestrictedImports } } } };
}

function allowing(up, rooms) {
  return rooms.map((room) => (isFile(room) ? `!${up}${room.replace(/ts$/, 'js')}` : `!${up}${room}/**`));
}

function isFile(room) {
  return room.endsWith('.ts');
}

/** What is wrong with the list: a room without a line, a line without a room, an `only` that names a later room. */
function faultsOfList(rooms) {
  const names = rooms.map(({ room }) => room);
  const there = readdirSync(join(root, sources));
  return [
    ...there.filter((name) => !names.includes(name)).map((name) => `${name} has no line in ${LIST}.`),
    ...names.filter((name) => !there.includes(name)).map((name) => `${LIST} names ${name}, which is not there.`),
    ...rooms.flatMap(({ room, only = [] }, index) =>
      only
        .filter((name) => !names.slice(0, index).includes(name))
        .map((name) => `${LIST} lets ${room} import ${name}, which is not below it.`),
    ),
  ];
}

/** Folders of sources that hold too many files. */
function crowded() {
  const counts = new Map();
  for (const { name } of readdirSync(join(root, 'packages'), { withFileTypes: true })) {
    const folder = join(root, 'packages', name, 'src');
    for (const inner of (existsSync(folder) ? filesBelow(folder) : []).map(dirname)) {
      counts.set(inner, (counts.get(inner) ?? 0) + 1);
    }
  }
  return [...counts].flatMap(([folder, count]) =>
    count > MOST ? [`${relative(root, folder)} holds ${count} files, and at most ${MOST} are allowed.`] : [],
  );
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

const rooms = readRooms();
const rules = makeRules(rooms);
if (process.argv.includes('--write')) writeFileSync(join(root, RULES), rules);
const isCurrent = existsSync(join(root, RULES)) && readFileSync(join(root, RULES), 'utf8') === rules;
const faults = [
  ...crowded(),
  ...faultsOfList(rooms),
  ...(isCurrent ? [] : [`${RULES} is older than ${LIST}: run npm run rooms.`]),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
