import { homedir } from 'node:os';
import { COMMANDS } from '../../dist/commands/all.js';
import { runProgram } from '../../dist/program.js';

// The command as `main.ts` starts it, but for keys that are guessed in no time: opening them is half of what most calls take.
process.exitCode = await runProgram(process.argv.slice(2), COMMANDS, '0.0.0', {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  userHome: homedir(),
  now: Date.now,
  stopped: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
    }),
  keyWork: { N: 2, r: 1, p: 1 },
});
process.stdin.unref?.();
