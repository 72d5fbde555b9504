import type { Json } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { reportKind } from '../../src/kinds/report.js';

/** The table of interface/reports#statuses, as it stands there. */
const table = `
created   = ok X ok X
pending   X = ok ok X
completed X X = X ok
rejected  X ok ok = X
settled   X X X X =`;

const statuses = ['created', 'pending', 'completed', 'rejected', 'settled'];
const meaning: Record<string, string> = { '=': 'repeat', ok: 'moves', X: 'refused' };
const pairs = table
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [from = '', ...cells] = line.split(/\s+/);
    return cells.map((cell, column) => [from, statuses[column] ?? '', meaning[cell]] as const);
  });

describe('the status of a report', () => {
  it('has 25 pairs', () => expect(pairs).toHaveLength(25));

  it.each(pairs)('from %s to %s %s', (from, to, outcome) => {
    expect(reportKind.lifecycle.transition?.(from, to)).toBe(outcome);
  });

  it('is one of five', () => expect(reportKind.lifecycle.statuses).toEqual(statuses));

  it('does not move to or from what is no status of a report', () => {
    expect(reportKind.lifecycle.transition?.('created', 'dropped')).toBe('refused');
    expect(reportKind.lifecycle.transition?.('toString', 'created')).toBe('refused');
  });
});

describe('the assets of a report', () => {
  const assets = [
    { handle: 'a.csv', output: 'gs://bucket/a.csv', size: 3 },
    { handle: 'b.csv', output: 'gs://bucket/b.csv' },
  ];
  const effective = { from: 'pending', to: 'completed' };

  it('are those of the proof that completes it', () => {
    expect(reportKind.lifecycle.proved?.({ status: 'completed', assets }, effective)).toEqual({ assets });
    expect(reportKind.lifecycle.proved?.({ status: 'completed', assets: [] }, effective)).toEqual({ assets: [] });
    expect(reportKind.lifecycle.proved?.({ status: 'completed' }, effective)).toEqual({});
  });

  it('are not those of another proof', () => {
    expect(reportKind.lifecycle.proved?.({ status: 'completed', assets }, { from: 'pending', to: 'pending' })).toEqual(
      {},
    );
    expect(
      reportKind.lifecycle.proved?.({ status: 'completed', assets }, { from: 'completed', to: 'completed' }),
    ).toEqual({});
    expect(reportKind.lifecycle.proved?.({ status: 'pending', assets: 1 }, { from: 'created', to: 'pending' })).toEqual(
      {},
    );
    expect(reportKind.lifecycle.proved?.({ assets: 1 }, { from: 'pending', to: 'pending' })).toEqual({});
  });

  const bad: [Json, string][] = [
    ['a', 'Report assets must be a list'],
    [null, 'Report assets must be a list'],
    [[1], 'A report asset must have a handle and an output'],
    [[{ handle: 'a' }], 'A report asset must have a handle and an output'],
    [[{ handle: '', output: 'o' }], 'A report asset must have a handle and an output'],
    [[...assets, { handle: 'a.csv', output: 'o' }], 'Report asset with handle a.csv is named twice'],
  ];
  it.each(bad)('cannot be %j', (value, detail) => {
    expect(() => reportKind.lifecycle.proved?.({ status: 'completed', assets: value }, effective)).toThrow(
      expect.objectContaining({ reason: 'record.invalid', detail }),
    );
  });
});
