import { afterEach, describe, expect, it } from 'vitest';
import { clusterLimits } from '../../src/cluster/cluster-limits.js';
import { collectOnce, type MetricsListener, serveMetrics } from '../../src/cluster/metrics-listener.js';
import { freePort } from '../support/free-port.js';

let listener: MetricsListener | undefined;
afterEach(() => listener?.stop());

async function listen(collect: () => Promise<string>): Promise<string> {
  const port = await freePort();
  listener = await serveMetrics({ host: '127.0.0.1', port }, collect, () => 0);
  return `http://127.0.0.1:${port}`;
}

describe('the listener of the metrics', () => {
  it('serves them, and nothing else', async () => {
    const url = await listen(async () => 'counted 1\n');
    const answer = await fetch(`${url}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('counted 1\n');
    for (const path of ['/', '/v2', '/metricsx', '/health']) expect((await fetch(url + path)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })).status).toBe(404);
  });

  it('tells that they could not be collected', async () => {
    const url = await listen(() => Promise.reject(new Error('secret')));
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([500, 'The metrics could not be collected.\n']);
  });
});

describe('what is collected', () => {
  it('answers all who ask while it is under way, and for a second', async () => {
    let now = 0;
    let began = 0;
    let finish = (_: string) => {};
    const collect = () => {
      began += 1;
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    };
    const text = collectOnce(collect, clusterLimits.metrics.fresh, () => now);
    const asked = Array.from({ length: 64 }, text);
    // One that takes longer than it is fresh is waited for.
    now = clusterLimits.metrics.fresh + 1;
    asked.push(text());
    expect(began).toBe(1);
    finish('first');
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['first']));
    const second = text();
    expect(began).toBe(2);
    finish('second');
    expect(await second).toBe('second');
    now += clusterLimits.metrics.fresh - 1;
    expect(await text()).toBe('second');
    now += 1;
    void text();
    expect(began).toBe(3);
    finish('third');
  });
});
