import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { it } from 'vitest';
import { newKey, newLedger } from '../support/client.js';
import { ok, stored } from '../support/scene.js';
import { withServer } from '../support/server.js';
import { bearer } from '../support/token.js';

const server = withServer();
const median = (n: number[]) => n.toSorted((a, b) => a - b)[n.length >> 1]!.toFixed(2);

it('measures', async () => {
  const owner = newKey();
  const reader = newKey();
  const access = [
    { action: 'any', record: 'ledger' },
    { action: 'create', record: 'any' },
  ];
  const client = await newLedger(server.current.url, { key: owner, access });
  for (let i = 0; i < 20; i += 1)
    await stored(client, 'wallet', {
      handle: `h-${i}`,
      custom: { salary: 4711, text: randomBytes(20_000).toString('hex') },
      access: [{ action: 'any', signer: { public: owner.public } }],
    });
  const headers = bearer(reader);
  const times: Record<string, number[]> = { hit: [], miss: [] };
  for (let i = 0; i < 300; i += 1)
    for (const [name, value] of [
      ['hit', 4711],
      ['miss', 1],
    ] as const) {
      const began = performance.now();
      const a = await client.get(`/wallets?data.custom.salary=${value}`, headers);
      times[name]!.push(performance.now() - began);
      if (a.body.data.length !== 0) throw new Error('seen');
    }
  console.log(`A7: hit ${median(times.hit!)} ms, miss ${median(times.miss!)} ms`);
  const open = await newLedger(server.current.url);
  const text = randomBytes(500_000).toString('hex');
  for (let i = 0; i < 30; i += 1) await stored(open, 'wallet', { handle: `w-${i}`, custom: { text, i } });
  const refuse: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    const began = performance.now();
    await open.get('/wallets?page.limit=30');
    refuse.push(performance.now() - began);
  }
  const big: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (let i = 0; i < 10; i += 1) {
    const began = performance.now();
    const response = await fetch(`${open.url}/wallets?page.limit=8`, { headers: { 'x-ledger': open.ledger! } });
    await response.arrayBuffer();
    big.push(performance.now() - began);
    ok({ status: response.status } as never);
  }
  delay.disable();
  console.log(
    `refused 30 MB: ${median(refuse)} ms; 8 MB page: ${median(big)} ms, loop delay max ${(delay.max / 1e6).toFixed(0)} ms`,
  );
}, 300_000);
