import { describe, expect, it } from 'vitest';
import { anchorsOf, read } from '../support/documents.js';
import { alerts, queries } from './monitoring.js';

const PAGE = 'docs/operations/alarms.md';

describe('the alert rules', () => {
  it('have a runbook each, which says what it means and what to do', () => {
    const all = alerts();
    expect(all.length).toBeGreaterThan(15);
    for (const { alert, annotations } of all) expect(annotations.runbook, alert).toBe(`${PAGE}#${alert.toLowerCase()}`);
    const told = [...read(PAGE).matchAll(/^### (Countersign\w+)\n\n(.+)$/gm)];
    expect(told.map(([, name]) => name)).toEqual(all.map(({ alert }) => alert));
    expect(anchorsOf(read(PAGE))).toEqual(expect.arrayContaining(all.map(({ alert }) => alert.toLowerCase())));
    for (const [, name, text] of told) expect(text, name).toContain(' **Do:** ');
  });

  it('say whom to wake, and what is wrong', () => {
    for (const { alert, labels, annotations } of alerts()) {
      expect(['page', 'ticket'], alert).toContain(labels.severity);
      expect(annotations.summary, alert).toMatch(/\.$/);
    }
  });
});

describe('the dashboard', () => {
  it('asks for one job, and the servers that were chosen', () => {
    expect(queries().length).toBeGreaterThan(30);
    for (const { title, expr } of queries()) {
      for (const [, inner] of expr.matchAll(/\{([^}]*)\}/g))
        expect(inner, title).toMatch(/^job="\$job",instance=~"\$instance"/);
    }
  });
});
