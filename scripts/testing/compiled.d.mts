import type { Plugin } from 'vite';
/** Compiled packages, which Node.js loads by itself. */
export const COMPILED: RegExp;
export function compiled(): Plugin;
