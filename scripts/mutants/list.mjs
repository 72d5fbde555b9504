import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';

/** The folder of the lists: each file exports `mutants`, each of which names the fewest and quickest tests that catch it. */
const folder = new URL('./defects/', import.meta.url);

/** Defects that the list holds at most: each is work for whoever edits the source, and minutes of a run. */
const MOST = 150;

/**
 * The deliberate defects, read from their lists.
 *
 * @param only ids, or beginnings of ids; all when there are none
 * @returns `mutants` that apply to the sources as they are, each with the `tests` that are to catch it, and `faults`:
 *   what is wrong with the others
 */
export async function readMutants(only) {
  const mutants = [];
  const faults = [];
  const ids = new Set();
  for (const name of readdirSync(folder).sort()) {
    const { mutants: listed } = await import(new URL(name, folder));
    for (const mutant of listed) {
      if (only && !only.some((wanted) => mutant.id.startsWith(wanted))) continue;
      const fault = ids.has(mutant.id) ? 'another has the same id' : faultOf(mutant);
      ids.add(mutant.id);
      if (fault === undefined) mutants.push(mutant);
      else faults.push({ id: mutant.id, fault });
    }
  }
  if (ids.size > MOST) faults.push({ id: 'the list', fault: `${ids.size} defects, and ${MOST} at most` });
  return { mutants, faults };
}

/** Why the defect cannot be put in; the list is true only as long as each can. */
function faultOf({ file, find, replace, breaks, tests }) {
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  const missing = tests.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) return `there is no ${missing}`;
  if (tests.length === 0 || !breaks || find === replace) return 'tests, what it breaks and a change are needed';
  const times = readFileSync(join(root, file), 'utf8').split(find).length - 1;
  return times === 1 ? undefined : `found ${times} times in ${file}: ${JSON.stringify(find)}`;
}
