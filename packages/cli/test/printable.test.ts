import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../src/terminal/failure.js';
import { Output } from '../src/terminal/output.js';
import { printable } from '../src/terminal/printable.js';
import { formatRecord } from '../src/terminal/record-text.js';
import { table } from '../src/terminal/table.js';

/** Whatever moves, overwrites, reorders or breaks a line of a terminal. */
const HARMFUL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r', '\x1b[2K', '\u061c', '\u2028', '\u2029', '\u202e', '\u2066', '\x9b'),
      fc.string(),
    ),
  )
  .map((parts) => parts.join(''));

describe('a table', () => {
  it('fits the terminal, and shows something of each column', () => {
    const row = ['w'.repeat(60), 'created', '2026-11-22T22:10:10.822Z', '$wlt.-3DjDD1KIWiXKZMpr'];
    const headings = ['HANDLE', 'STATUS', 'MOMENT', 'LUID'];
    expect(table(headings, [row], 80)).toBe(
      [
        `${'HANDLE'.padEnd(25)}STATUS   ${'MOMENT'.padEnd(24)}LUID`,
        `${'w'.repeat(22)}…  created  2026-11-22T22:10:10.8…  $wlt.-3DjDD1KIWiXKZMpr`,
      ].join('\n'),
    );
    for (const width of [200, 79, 60, 40, 20]) {
      for (const line of table(headings, [row], width).split('\n')) expect([...line].length).toBeLessThanOrEqual(width);
    }
    expect(table(headings, [row])).toContain(row.join('  '));
    expect(table(headings, [row], 120)).toContain(row.join('  '));
  });
});

describe('text of a server at a terminal', () => {
  it('holds no character that moves, overwrites, reorders or breaks lines', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printable(text)).not.toMatch(HARMFUL);
      }),
    );
    expect(printable('a\nb\u061c\u2028\u2029')).toBe('a\\u000ab\\u061c\\u2028\\u2029');
    expect(printable('Zürich – 東京 \\n')).toBe('Zürich – 東京 \\n');
  });

  it('makes no line of its own in a record: by names, values, luid, hash, meta or proofs', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const proof = { signer: text, custom: { status: text, moment: text, [`x${text}`]: text } };
        const data = { handle: text, [`n${text}`]: text, list: [text] };
        const record = { luid: `$${text}`, hash: `h${text}`, data, meta: { [`m${text}`]: text, proofs: [proof] } };
        const lines = formatRecord('Wallet', record).split('\n');
        // Heading and rule, luid and hash, three members, one of meta, one proof.
        expect(lines).toHaveLength(9);
        for (const line of lines) expect(line).not.toMatch(HARMFUL);
      }),
    );
  });

  it('makes no line of its own in a failure', () => {
    let written = '';
    const stderr = new Writable({
      write(chunk, _, done) {
        written += chunk;
        done();
      },
    });
    const surroundings = { stdout: stderr, stderr, env: {} } as unknown as ConstructorParameters<typeof Output>[0];
    const text = 'no\n✓ Wallet shop created.';
    new Output(surroundings, false).failure(
      new Failure('refused', text, { reason: text, advice: text, errors: [text] }),
    );
    expect(written.split('\n')).toHaveLength(5);
    expect(written).not.toMatch(/^✓/m);
  });
});
