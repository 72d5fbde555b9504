import { readFileSync } from 'node:fs';

/** Reads JSON of the repository and of npm, before anything is compiled. */
export function readOwnJson(text) {
  // biome-ignore lint/plugin: no name in it is a user's, and `readJson` may not be compiled yet
  return JSON.parse(text);
}

/** Reads a file of such JSON. */
export function readJsonFile(path) {
  return readOwnJson(readFileSync(path, 'utf8'));
}
