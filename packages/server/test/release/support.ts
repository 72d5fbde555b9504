import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs npm or npx in a folder, as a user does. The settings of a surrounding `npm test` stay out. */
export function npm(program: 'npm' | 'npx', args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return run(program, args, { cwd, env: { ...env, ...more }, maxBuffer: 2 ** 28 });
}
