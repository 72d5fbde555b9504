import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** What a page loads for a module of this folder: one file for browsers, minified. */
export async function bundle(source: string): Promise<string> {
  // Beside this file, so that packages and sources are found as they are from here.
  const folder = await mkdtemp(fileURLToPath(new URL('./bundle-', import.meta.url)));
  try {
    const input = join(folder, 'entry.ts');
    await writeFile(input, source.replaceAll("'../../src/", "'../../../src/"));
    const made = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
    const { output } = await made.generate({ format: 'esm', minify: true });
    await made.close();
    return output.map((part) => ('code' in part ? part.code : '')).join('');
  } finally {
    await rm(folder, { recursive: true });
  }
}
