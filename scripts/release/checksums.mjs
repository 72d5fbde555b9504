import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const NAME = 'SHA256SUMS';

/**
 * Writes the digests of all files in a folder, as `sha256sum --check` reads them.
 *
 * @returns {string[]} the paths of the files in the folder
 */
export function writeChecksums(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== NAME)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const lines = paths.map((path) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
    return `${digest}  ${path}\n`;
  });
  writeFileSync(join(folder, NAME), lines.join(''));
  return paths;
}
