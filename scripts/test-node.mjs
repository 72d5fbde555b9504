import { execFileSync, spawn } from 'node:child_process';
import { ensureRelease, environmentWith, Problem, parseCall } from './node-release.mjs';
import { say } from './root.mjs';

/** What tells a build of Node.js from others. */
const BUILD =
  '["Node.js " + process.versions.node, "V8 " + process.versions.v8, "OpenSSL " + process.versions.openssl].join(", ")';

/** Runs a command, by default `npm test`, under another release of Node.js. */
function main() {
  const { release, command, args } = parseCall(process.argv.slice(2));
  const env = environmentWith(ensureRelease(release), process.env);
  const windows = process.platform === 'win32';
  const build = execFileSync(env.NODE, ['-p', BUILD], { encoding: 'utf8' }).trim();
  say(`${build}: ${[command, ...args].join(' ')}`);
  const child = spawn(command, args, { env, stdio: 'inherit', shell: windows });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    say(error.message);
    process.exitCode = 1;
  });
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}

try {
  main();
} catch (error) {
  say(error.message);
  process.exitCode = error instanceof Problem ? 2 : 1;
}
