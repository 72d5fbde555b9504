#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error('countersign: the command is not compiled yet. Run `npm run build` in the repository first.');
  process.exitCode = 4;
}
