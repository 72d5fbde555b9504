import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { PACKAGE } from '../../base/package.js';

/** A file of the console, in each coding that it is kept in. */
export interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The files of the console by their names below it; none where it was not built. */
export function readConsole(): ReadonlyMap<string, ConsoleFile> {
  const folder = consoleFolder();
  if (folder === undefined || !existsSync(join(folder, 'index.html'))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      return type === undefined ? [] : [[name.replaceAll('\\', '/'), readFile(join(folder, name), type)] as const];
    }),
  );
}

/** The folder of the files: of the package beside this one, or in a clone that of its build. */
function consoleFolder(): string | undefined {
  try {
    return join(dirname(createRequire(PACKAGE).resolve('@countersign/console/package.json')), 'dist');
  } catch {
    return undefined;
  }
}

function readFile(path: string, type: string): ConsoleFile {
  const plain = readFileSync(path);
  const coded = (ending: string) => (existsSync(path + ending) ? readFileSync(path + ending) : undefined);
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { type, etag, plain, br: coded('.br'), gzip: coded('.gz') };
}
