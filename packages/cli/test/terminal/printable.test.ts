import { expect, it } from 'vitest';
import { Output } from '../../src/terminal/output.js';

it('writes JSON with escapes in place of what could move the cursor or reorder text, and of the same meaning', () => {
  let out = '';
  const stdout = { write: (text: string | Uint8Array) => (out += text) };
  const output = new Output({ stdout, stderr: stdout, env: {} } as never, true);
  const value = { 'a\u009b2J': ['\u202ecba', 'x\ny', '\u007f\u2066', 'é€'] };
  output.result(value, () => '');
  expect(JSON.parse(out)).toEqual(value);
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
  expect(out).toContain('"a\\u009b2J"');
  expect(out).toContain('é€');
  out = '';
  output.line(value, () => '');
  expect(JSON.parse(out)).toEqual(value);
  expect(out.indexOf('\n')).toBe(out.length - 1);
  expect(out).toContain('\\u202ecba');
});
