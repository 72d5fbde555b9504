import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderLimits } from './limits.mjs';
import { root, say } from './root.mjs';

const page = 'docs/operations/limits.md';
const path = join(root, page);
const text = readFileSync(path, 'utf8').replace(/(?<=<!-- limits -->\n).*(?=<!-- \/limits -->)/s, () => renderLimits());
writeFileSync(path, text);
say(`${page} is written`);
