import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
const [first, ...others] = process.argv.slice(2);
const isEverything = first === 'everything';
const { readOptions, usage } = await import(isEverything ? './soak/everything/options.mjs' : './soak/options.mjs');
try {
  if (readOptions(isEverything ? others : process.argv.slice(2)).help) {
    console.log(usage);
    process.exit(0);
  }
} catch (error) {
  console.error(`soak: ${error.message}`);
  process.exit(2);
}
ensureBuilt();
if (isEverything) {
  const { soakEverything } = await import('./soak/everything/run.mjs');
  const code = await soakEverything(others).catch((error) => {
    console.error(`soak: ${error.message}`);
    return 1;
  });
  // Nothing that still waits may keep it.
  process.exit(code);
} else await import('./soak/run.mjs');
