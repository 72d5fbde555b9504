import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Whether a path is that folder, or within it. */
export function isWithin(folder: string, path: string): boolean {
  const away = relative(resolve(folder), resolve(path));
  return away !== '..' && !away.startsWith(`..${sep}`) && !isAbsolute(away);
}
