import { it } from 'vitest';
import { readMany } from './drawn-json.js';

it('JSON is read as it is written, whatever was read before', () => {
  readMany(process.env.LONG_TESTS ? 3_000_000 : 300_000);
});
