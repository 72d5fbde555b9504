import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leaveNothingBehind, metricsOfAll, type Service, startService } from '../durability/service.js';
import { newLedger } from '../support/client.js';
import { makeDataDir } from '../support/database.js';
import { read, root } from '../support/documents.js';
import { stored } from '../support/scene.js';
import { alerts, documentedMetrics, groupedBy, metricsIn, queries, RULES, selectedIn } from './monitoring.js';
import { requireTool, runTool } from './tools.js';

/** Labels that Prometheus gives, and the one of every process. */
const GIVEN = ['job', 'instance', 'worker'];

const home = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-monitoring-')));
const dataDir = join(home, 'data');
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('what a server tells at /metrics', () => {
  let service: Service;
  let served: ReturnType<typeof metricsIn>;
  beforeAll(async () => {
    makeDataDir(dataDir);
    service = await startService(dataDir, 1, { BACKUP_DIR: join(home, 'backups') });
    await stored(await newLedger(service.url), 'wallet', { handle: 'shop' });
    served = metricsIn(await metricsOfAll(service));
  });
  afterAll(async () => {
    await service?.stop();
    await leaveNothingBehind(dataDir);
  });

  const documented = documentedMetrics();

  /** Labels of a metric: those that it is served with, and those that it may get. */
  const labelsOf = (name: string) => {
    const whole = name.replace(/_(bucket|sum|count)$/, '');
    const metric = served.get(name) ?? served.get(whole);
    if (metric === undefined) return undefined;
    const known = documented.get(name) ?? documented.get(whole);
    return { values: metric.labels, names: [...metric.labels.keys(), ...(known?.labels ?? []), ...GIVEN], known };
  };

  const asked = [
    ...alerts().map(({ alert, expr }) => ({ by: alert, expr, legend: '' })),
    ...queries().map(({ title, expr, legend }) => ({ by: title, expr, legend })),
  ];

  it.each(asked)('has what $by asks for', ({ expr, legend }) => {
    const names: string[] = [];
    for (const { name, matchers } of selectedIn(expr)) {
      // Prometheus itself adds this one.
      if (name === 'up') continue;
      const labels = labelsOf(name);
      expect(labels, `${name} is not served`).toBeDefined();
      names.push(...(labels?.names ?? []));
      for (const { label, values } of matchers) {
        expect(labels?.names, name).toContain(label);
        if (GIVEN.includes(label)) continue;
        const seen = [...(labels?.values.get(label) ?? [])];
        for (const value of values) {
          const isKnown =
            seen.some((one) => new RegExp(`^(?:${value})$`).test(one)) || labels?.known?.meaning.includes(value);
          expect(isKnown || label === 'status', `${name} has no ${label} ${value}`).toBe(true);
        }
      }
    }
    const grouped = groupedBy(expr);
    if (names.length > 0) for (const label of grouped) expect(names).toContain(label);
    for (const [, label] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(grouped).toContain(label);
  });

  it('says what it is, that it is ready, and that nothing was replaced', async () => {
    const { build } = ((await (await fetch(`${service.url}/`)).json()) as { data: { build: string } }).data;
    const value = (name: string, label: string) => [...(served.get(name)?.labels.get(label) ?? [])];
    expect(value('countersign_build_info', 'build')).toEqual([build]);
    expect(value('countersign_build_info', 'node')).toEqual([process.versions.node]);
    expect(value('countersign_workers_replaced_total', 'because').sort()).toEqual(['died', 'stood-still']);
    const text = await metricsOfAll(service);
    for (const line of ['ready{worker="1"} 1', 'writes_taken{worker="1"} 1'])
      expect(text).toContain(`countersign_${line}\n`);
    expect(text).toMatch(/^countersign_disk_free_bytes\{worker="1"\} [1-9]\d*$/m);
    expect(text).toMatch(/^countersign_database_seconds_count\{of="others",worker="1"\} [1-9]\d*$/m);
    expect(text).toMatch(/^countersign_ledger_loads_total\{worker="1"\} [1-9]\d*$/m);
  });
});

const promtool = requireTool('promtool', 'REQUIRE_PROMTOOL');
describe.runIf(promtool)('the alert rules, by promtool', () => {
  it('are rules', () => {
    const { status, err } = runTool(promtool ?? '', ['check', 'rules', join(root, RULES)]);
    expect(status, err).toBe(0);
  });

  it('fire each where they are to, and not where all is well', () => {
    const path = join(home, 'tests.yaml');
    const tests = read('packages/server/test/deploy/alerts.yaml').replace('RULES', join(root, RULES));
    writeFileSync(path, tests);
    for (const { alert } of alerts()) expect(tests).toContain(`name: ${alert}\n`);
    const { status, out, err } = runTool(promtool ?? '', ['test', 'rules', path]);
    expect(status, out + err).toBe(0);
  });
});
