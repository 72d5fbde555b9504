import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * Lays the sources of the console and the client beside a copy of the server, which finds this console from then on. To be called
 * before the copy is started: it looks for the package of the console once.
 *
 * @param copy the folder of the copy, within the package of the server: what is not copied is found above it
 */
export async function layConsole(copy: string): Promise<void> {
  await cp(`${repository}/tsconfig.base.json`, `${copy}/tsconfig.base.json`);
  const isSource = (path: string) => !/\/(dist|test|node_modules|tsconfig\.tsbuildinfo)$/.test(path);
  for (const name of ['client', 'console']) {
    await cp(`${repository}/packages/${name}`, `${copy}/packages/${name}`, { recursive: true, filter: isSource });
  }
  await mkdir(`${copy}/node_modules/@countersign`, { recursive: true });
  await mkdir(`${copy}/packages/server`);
  for (const [path, target] of [
    ['node_modules/@countersign/client', `${copy}/packages/client`],
    ['node_modules/@countersign/console', `${copy}/packages/console`],
    ['packages/protocol', `${repository}/packages/protocol`],
    ['packages/verifier', `${repository}/packages/verifier`],
    ['tools', `${repository}/tools`],
    ['packages/server/look', `${copy}/look`],
  ] as const) {
    await symlink(target, `${copy}/${path}`);
  }
}

/**
 * Makes the client from a description of the interface, and the console from that client, as a release does: the sources stay as
 * they are.
 *
 * @param document OpenAPI, as the copy serves it
 * @throws Error where one of the steps fails, with what it says
 */
export async function makeConsole(copy: string, document: string): Promise<void> {
  await writeFile(`${copy}/openapi.json`, document);
  for (const [script, ...options] of [
    [`${copy}/packages/client/scripts/generate.mjs`, `${copy}/openapi.json`],
    [`${repository}/node_modules/typescript/bin/tsc`, '-p', `${copy}/packages/client`],
    [`${copy}/packages/console/scripts/build.mjs`],
  ] as const) {
    await promisify(execFile)(process.execPath, [script, ...options]).catch(({ stdout, stderr }) => {
      throw new Error(`${script}: ${stdout}${stderr}`);
    });
  }
}
