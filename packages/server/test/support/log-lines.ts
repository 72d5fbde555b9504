import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { read, root } from './documents.js';

/** A line that a source writes to the log, with its level; what is filled in at its end is left out. */
export interface LogLine {
  readonly level: string;
  readonly text: string;
}

const CALL = /\b(?:log|logger)\.(fatal|error|warn)\(/g;
/** How the embedded PostgreSQL has its lines written: `start.ts` logs them as errors. */
const ALARM = /\balarm\(/g;
const PASSED_ON = 'alarm: (text) => logger.error(text)';

/** The lines at level `warn` and above in the sources of all packages. */
export async function linesOfSources(): Promise<LogLine[]> {
  const paths = (await readdir(join(root, 'packages'), { recursive: true })).filter((path) =>
    /^[\w-]+\/src\/.*\.ts$/.test(path),
  );
  return paths.flatMap((path) => linesOf(read(`packages/${path}`).replaceAll(PASSED_ON, ''), path));
}

function linesOf(source: string, path: string): LogLine[] {
  const calls = [...source.matchAll(CALL)].map((call) => ({ level: call[1] ?? '', call }));
  const alarms = path.startsWith('embedded-postgres/')
    ? [...source.matchAll(ALARM)].map((call) => ({ level: 'error', call }))
    : [];
  return [...calls, ...alarms].map(({ level, call }) => {
    const passed = argumentsFrom(source.slice(call.index + call[0].length));
    const [, text] = /(?:^|, |,\s+)['`]([^'`]+)['`],?\s*$/.exec(passed) ?? [];
    if (text === undefined) throw new Error(`${path} logs a line whose text is not written out: ${passed}`);
    return { level, text: (text.split('${')[0] ?? '').replace(/[\s:(]+$/, '') };
  });
}

/** What a call is passed, given the source behind its opening parenthesis. */
function argumentsFrom(source: string): string {
  let depth = 1;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
    if (depth === 0) return source.slice(0, at);
  }
  throw new Error('A call without its end');
}
