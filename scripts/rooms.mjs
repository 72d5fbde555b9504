import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { root } from './root.mjs';

/** Files that a room may hold, and a folder within it. */
const MOST = 25;

/** Files below all rooms, which import nothing of the server but one another: `*.ts` is the rule for them. */
const LEAVES = ['limits', 'log-limits', 'outbound-limits', 'process-limits', 'node-version'];

/** Folders of sources that hold too many files. */
function crowded() {
  const counts = new Map();
  for (const { name } of readdirSync(join(root, 'packages'), { withFileTypes: true })) {
    const sources = join(root, 'packages', name, 'src');
    for (const folder of (existsSync(sources) ? filesBelow(sources) : []).map(dirname)) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
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

/**
 * What is wrong with the rules of `lint/rooms.json`, which Biome holds every import to: a room without a rule, or a rule
 * that allows a room whose own rule comes later. Where each allows only earlier ones, no cycle between rooms is possible.
 */
function unordered() {
  const { overrides } = createRequire(import.meta.url)('../lint/rooms.json');
  const seen = new Set();
  const faults = [];
  for (const { includes, linter } of overrides) {
    const place = includes[0].replace('**/server/src/', '');
    if (place.startsWith('*')) continue;
    const [, room] = /^([^/]+?)(\.ts|\/.*)$/.exec(place);
    for (const group of linter.rules.style.noRestrictedImports.options.patterns.flatMap((pattern) => pattern.group)) {
      for (const allowed of group.startsWith('!') ? namesIn(group) : []) {
        if (!seen.has(allowed) && !LEAVES.includes(allowed))
          faults.push(`lint/rooms.json lets ${place} import ${allowed}, which is not below it.`);
      }
    }
    seen.add(room);
  }
  const source = join(root, 'packages/server/src');
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const room = entry.name.replace(/\.ts$/, '');
    if (!seen.has(room) && !LEAVES.includes(room)) faults.push(`${entry.name} has no rule in lint/rooms.json.`);
  }
  return faults;
}

/** `!../{access,kinds}/**` allows `access` and `kinds`. */
function namesIn(group) {
  const [, names] = /^!(?:\.{1,2}\/)+(.+?)(?:\/\*\*|\.js)$/.exec(group);
  return names.replace(/[{}]/g, '').split(',');
}

const faults = [...crowded(), ...unordered()];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
