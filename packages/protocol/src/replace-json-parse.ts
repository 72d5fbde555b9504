import { misreadsJson } from './json-engine.js';
import { parseLikeJson } from './parse-like-json.js';

// Imported first: a module that is loaded earlier may keep the `JSON.parse` it finds.
if (misreadsJson()) JSON.parse = parseLikeJson as typeof JSON.parse;
