import { readJson } from '@countersign/protocol';
import { parse } from 'yaml';
import { read, rowsOf, section } from '../support/documents.js';

export const RULES = 'deploy/monitoring/alerts.yaml';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** The alert rules. */
export function alerts(): Alert[] {
  const { groups } = parse(read(RULES)) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** What the panels of the dashboard ask for. */
export function queries(): { title: string; expr: string; legend: string }[] {
  const { panels } = readJson(read('deploy/monitoring/dashboard.json')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({ title, expr, legend: legendFormat })),
  );
}

/** A metric that an expression asks for, and what it asks of a label. */
interface Selected {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** The metrics that an expression of PromQL selects: each is written with braces. */
export function selectedIn(expr: string): Selected[] {
  return [...expr.matchAll(/([a-z_][a-z0-9_]*)\{([^}]*)\}/gi)].map(([, name = '', inner = '']) => ({
    name,
    matchers: [...inner.matchAll(/(\w+)(?:=~|!=|=)"([^"]*)"/g)].map(([, label = '', value = '']) => ({
      label,
      values: value.split('|'),
    })),
  }));
}

/** The labels that an expression groups by. */
export function groupedBy(expr: string): string[] {
  return [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(',').map((one) => one.trim()));
}

/** The metrics that a server tells of in its answer: type, and the values of labels where there are any. */
export function metricsIn(text: string): Map<string, { type: string; labels: Map<string, Set<string>> }> {
  const found = new Map<string, { type: string; labels: Map<string, Set<string>> }>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    found.set(name, { type, labels: new Map() });
  for (const [, name = '', inner = ''] of text.matchAll(/^([a-z_]\w*)\{(.*)\} \S+$/gim)) {
    const metric = found.get(name) ?? found.get(name.replace(/_(bucket|sum|count)$/, ''));
    for (const [, label = '', value = ''] of inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      metric?.labels.set(label, (metric.labels.get(label) ?? new Set()).add(value));
    }
  }
  return found;
}

/** Labels and meaning of the service's metrics, as documented; a test holds that against the source. */
export function documentedMetrics(): Map<string, { labels: string[]; meaning: string }> {
  const rows = rowsOf(section('docs/operations/monitoring.md', 'metrics')).slice(1);
  return new Map(
    rows.map(([name = '', , labels = '', meaning = '']) => [
      name,
      { labels: labels.split(',').flatMap((label) => label.trim() || []), meaning },
    ]),
  );
}
