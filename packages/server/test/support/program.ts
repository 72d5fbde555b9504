import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program to its end, while a server of this process answers. @param more variables beside those of this process */
export async function runBeside(path: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const child = spawn(path, args, { env: { ...process.env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => {
    said.out += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    said.err += text;
  });
  const [status] = await once(child, 'close');
  return { status: status as number | null, ...said };
}
