import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { openServer } from '../../src/app.js';

/** The package of the server: a copy within it finds the same dependencies. */
const server = fileURLToPath(new URL('../..', import.meta.url));
const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url));

/** The server built with one kind more. */
export interface Copy {
  readonly folder: string;
  readonly openServer: typeof openServer;
  remove(): Promise<void>;
}

/**
 * Copies the sources, adds the file of a kind and its line in `all.ts`, and compiles them: what is not told by these two
 * the rest of the server does not know.
 *
 * @param name what the file, its export and the kind are called
 * @throws Error with what the compiler says
 */
export async function withKind(name: string, file: string): Promise<Copy> {
  const copy = await mkdtemp(`${server}/.copy-`);
  const remove = () => rm(copy, { recursive: true, force: true });
  try {
    for (const folder of ['src', 'sql', 'look'])
      await cp(`${server}/${folder}`, `${copy}/${folder}`, { recursive: true });
    const list = `${copy}/src/kinds/all.ts`;
    const declared = await readFile(list, 'utf8');
    await writeFile(
      list,
      `import { ${name} } from './${name}.js';\n${declared.replace('\n} satisfies', `\n  ${name},\n} satisfies`)}`,
    );
    await writeFile(`${copy}/src/kinds/${name}.ts`, file);
    await writeFile(`${copy}/tsconfig.json`, JSON.stringify(SETTINGS));
    await promisify(execFile)(process.execPath, [compiler, '-p', copy]).catch(({ stdout }: { stdout: string }) => {
      throw new Error(`With the kind ${name} the server does not compile: ${stdout}`);
    });
    const app = (await import(/* @vite-ignore */ `${copy}/dist/app.js`)) as { openServer: typeof openServer };
    return { folder: copy, openServer: app.openServer, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

const SETTINGS = {
  extends: '../tsconfig.json',
  compilerOptions: {
    rootDir: 'src',
    outDir: 'dist',
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
  },
  include: ['src'],
  references: [{ path: '../../protocol' }],
};
