import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../../../scripts/tour/run.mjs', import.meta.url));

/**
 * Runs the tour against the server at `url`, as `npm run tour` does.
 *
 * @param env settings of the tour
 */
export function runTour(
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { env: { ...process.env, COUNTERSIGN_URL: url, ...env } });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
