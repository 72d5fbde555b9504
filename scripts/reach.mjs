import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
ensureBuilt();
await import('../bench/reach.mjs');
