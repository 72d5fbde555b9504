import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readJsonFile } from './json.mjs';
import { root } from './root.mjs';

/** Files that a room may hold, and a folder within it. */
const MOST = 25;

/**
 * The packages that have rooms. A list has them from the lowest to the highest. A room may import those before it; with `only`,
 * none but these, which stand before it as well. So no cycle between rooms is possible.
 */
const LISTS = { server: 'lint/rooms.json', console: 'lint/rooms-console.json' };

/** The rules of the linter that follow from the lists. */
const RULES = 'lint/rooms.biome.json';

function readRooms(list) {
  return readJsonFile(join(root, list)).map((line) => (typeof line === 'string' ? { room: line } : line));
}

/** The text of the rules of all packages. */
function makeRules() {
  const overrides = Object.entries(LISTS).flatMap(([name, list]) => rulesOf(name, list));
  return `{\n  "overrides": [\n${overrides.map((one) => `    ${JSON.stringify(one)}`).join(',\n')}\n  ]\n}\n`;
}

/** First what holds for every file of a package, then a rule for each room, which takes its place. */
function rulesOf(name, list) {
  const rooms = readRooms(list);
  const order = `Imports between rooms go one way: ${list} has the order.`;
  const rule = (files, message, group) => {
    const noRestrictedImports = { level: 'error', options: { patterns: [{ message, group }] } };
    return { includes: [`**/${name}/src/${files}`], linter: { rules: { style: { noRestrictedImports } } } };
  };
  return [
    rule('**', `A new room needs its line in ${list}.`, ['../**']),
    rule('*.ts*', order, ['./**', '../**']),
    ...rooms.flatMap(({ room, only }, index) => {
      const allowed = only ?? rooms.slice(0, index).map((one) => one.room);
      if (isFile(room)) return [rule(room, order, ['./**', '../**', ...allowing('./', allowed)])];
      return [
        rule(`${room}/*.ts*`, order, ['../**', ...allowing('../', allowed)]),
        rule(`${room}/*/**`, order, ['../../**', ...allowing('../../', allowed)]),
      ];
    }),
  ];
}

function allowing(up, rooms) {
  return rooms.map((room) => (isFile(room) ? `!${up}${room.replace(/tsx?$/, 'js')}` : `!${up}${room}/**`));
}

function isFile(room) {
  return /\.tsx?$/.test(room);
}

/** What is wrong with a list: a room without a line, a line without a room, an `only` that names a later room. */
function faultsOfList([name, list]) {
  const rooms = readRooms(list);
  const names = rooms.map(({ room }) => room);
  const there = readdirSync(join(root, 'packages', name, 'src'));
  return [
    ...there.filter((room) => !names.includes(room)).map((room) => `${room} has no line in ${list}.`),
    ...names.filter((room) => !there.includes(room)).map((room) => `${list} names ${room}, which is not there.`),
    ...rooms.flatMap(({ room, only = [] }, index) =>
      only
        .filter((one) => !names.slice(0, index).includes(one))
        .map((one) => `${list} lets ${room} import ${one}, which is not below it.`),
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

const rules = makeRules();
if (process.argv.includes('--write')) writeFileSync(join(root, RULES), rules);
const isCurrent = existsSync(join(root, RULES)) && readFileSync(join(root, RULES), 'utf8') === rules;
const faults = [
  ...crowded(),
  ...Object.entries(LISTS).flatMap(faultsOfList),
  ...(isCurrent ? [] : [`${RULES} is older than the lists of rooms: run npm run rooms.`]),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
