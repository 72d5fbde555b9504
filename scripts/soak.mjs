import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
ensureBuilt();
const [first, ...others] = process.argv.slice(2);
if (first === 'everything') {
  const { soakEverything } = await import('./soak/everything/run.mjs');
  const code = await soakEverything(others).catch((error) => {
    console.error(`soak: ${error.message}`);
    return 1;
  });
  // Nothing that still waits may keep it.
  process.exit(code);
} else await import('./soak/run.mjs');
