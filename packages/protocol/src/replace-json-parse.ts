import { misreadsJson } from './json-engine.js';
import { parseLikeJson } from './parse-like-json.js';

// For the first module of a program: what is loaded later may keep the function that it finds here.
if (misreadsJson()) JSON.parse = parseLikeJson as typeof JSON.parse;
