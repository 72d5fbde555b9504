import { spawnSync } from 'node:child_process';
import { root } from './root.mjs';

/** Runs npm in the repository: the one that this process was started by, where there is one. */
export function npm(args, options = {}) {
  const path = process.env.npm_execpath;
  const all = { cwd: root, ...options };
  return path?.endsWith('.js')
    ? spawnSync(process.execPath, [path, ...args], all)
    : spawnSync('npm', args, { ...all, shell: process.platform === 'win32' });
}
