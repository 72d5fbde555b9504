import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

// The guides that the server shows are in the repository; a published package takes them along.
const folder = join(root, 'packages/server/docs');
rmSync(folder, { recursive: true, force: true });
cpSync(join(root, 'docs'), folder, { recursive: true });
