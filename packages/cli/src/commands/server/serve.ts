import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CliCommand } from '../../description/command.js';
import { Failure, localFailure } from '../../terminal/failure.js';

export const serveCommand: CliCommand = {
  path: ['serve'],
  summary: 'Start a server on this machine',
  about:
    'Starts the server of this installation, with a PostgreSQL of its own, as `npm start` does. It listens on the loopback ' +
    'address. docs/operations/settings.md lists the further settings, which are environment variables. Ctrl-C stops it and keeps all data.',
  options: [
    { flags: '--port <port>', env: 'PORT', about: 'port to listen at', default: '3000' },
    { flags: '--data <folder>', env: 'DATA_DIR', about: 'where the data is kept', default: './data' },
  ],
  examples: [{ call: 'countersign serve', about: 'then, in another terminal: countersign init' }],
  async run(invocation) {
    const main = mainOfServer();
    const { env, stopped } = invocation.surroundings;
    const settings = { PORT: await invocation.need('port'), DATA_DIR: await invocation.need('data') };
    const child = spawn(process.execPath, [main], { env: { ...env, ...settings }, stdio: 'inherit' });
    // A signal to this process is one to the server, which ends cleanly by it.
    void stopped().then(() => child.kill('SIGTERM'));
    // It replaces its workers by this one, and would be left alone if this process ended by it.
    process.on('SIGHUP', () => child.kill('SIGHUP'));
    const code = await awaitExit(child);
    if (code !== 0) throw new Failure('local', 'The server did not end cleanly.', { advice: 'see what it said above' });
  },
};

function awaitExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
}

/** The program of the server, beside this one in the repository or installed with it. */
function mainOfServer(): string {
  try {
    const main = fileURLToPath(new URL('./main.js', import.meta.resolve('@countersign/server')));
    if (existsSync(main)) return main;
  } catch {
    // Told below.
  }
  throw localFailure(
    'The server is not installed here.',
    'npm install @countersign/server; in the repository: npm run build',
  );
}
