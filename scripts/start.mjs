import cluster from 'node:cluster';
import { ensureBuilt, ensureConsoleBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { makeSiteBeside } from './site.mjs';

ensureInstalled();
ensureBuilt();
ensureConsoleBuilt();
if (process.env.npm_lifecycle_event === 'start') stopWithParent();
// In this process: a signal to it is a signal to the server, and nothing can be left running without the other.
await import('../packages/server/dist/main.js');
// The processes of the server begin with this script, too.
if (cluster.isPrimary) makeSiteBeside();

/**
 * Between npm and this process there may be a shell. It gets the signals that npm passes on, and ends by them without
 * passing them on; so may npm itself. Then the server was meant.
 */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 100);
  timer.unref();
}
