import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
ensureBuilt();
const [first, ...others] = process.argv.slice(2);
if (first === 'everything') {
  const { soakEverything } = await import('./soak/everything/run.mjs');
  try {
    process.exitCode = await soakEverything(others);
  } catch (error) {
    console.error(`soak: ${error.message}`);
    process.exitCode = 1;
  }
} else await import('./soak/run.mjs');
