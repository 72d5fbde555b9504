import { describe, expect, it } from 'vitest';
import { newLedger } from '../support/client.js';
import { ok } from '../support/scene.js';
import { withServer } from '../support/server.js';

// biome-ignore lint/suspicious/noExplicitAny: the soak is plain JavaScript
const load = (name: string): Promise<any> =>
  import(new URL(`../../../../scripts/soak/everything/${name}.mjs`, import.meta.url).href);

const { Disturbances } = await load('disturbances');
const { Findings } = await load('findings');
const { Payments } = await load('payments');
const { slopeOf } = await load('memory');
const { Traffic } = await load('traffic');
const { Wallets } = await load('wallets');

describe('what the soak of everything takes for the fault of the server', () => {
  const at = (began: number) => ({ began, ended: began + 10 });
  const refusal = (status: number, began: number, retryAfter?: string) => ({
    ...{ kind: 'answer', status, ...at(began) },
    ...(retryAfter ? { retryAfter } : {}),
  });
  const disturbed = (database: boolean) => {
    const disturbances = new Disturbances();
    disturbances.all.push({ what: 'broken', database, began: 100_000, ended: 110_000 });
    return disturbances;
  };

  it('is every 5xx but a 503 with retry-after while the database is away or has just come back', () => {
    const away = disturbed(true);
    expect(away.causeOf(refusal(503, 100_000, '1'))).toBe('broken');
    expect(away.causeOf(refusal(503, 115_000, '1'))).toBe('broken');
    expect(away.causeOf(refusal(503, 115_001, '1'))).toBeUndefined();
    expect(away.causeOf(refusal(503, 99_000, '1'))).toBeUndefined();
    expect(away.causeOf(refusal(503, 105_000))).toBeUndefined();
    expect(away.causeOf(refusal(500, 105_000, '1'))).toBeUndefined();
    expect(disturbed(false).causeOf(refusal(503, 105_000, '1'))).toBeUndefined();
  });

  it('is every connection that is lost but those of a process that was killed', () => {
    const lost = { kind: 'connection', ...at(105_000) };
    expect(disturbed(false).causeOf(lost)).toBe('broken');
    expect(disturbed(true).causeOf(lost)).toBeUndefined();
    expect(disturbed(false).causeOf({ kind: 'connection', ...at(120_001) })).toBeUndefined();
  });

  it('is memory that grows along a line', () => {
    expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5 + 2 * x]))).toBe(2);
    expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5]))).toBe(0);
  });
});

describe('what the soak of everything reads again', () => {
  const running = withServer();

  it('shows what was lost, and what is not as it was acknowledged', async () => {
    const findings = new Findings();
    const { port } = new URL(running.current.url);
    const client = await newLedger(running.current.url);
    const traffic = new Traffic(Number(port), new Disturbances(), findings);
    const context = { traffic, findings, ledger: client.ledger, key: client.key };
    const wallets = new Wallets(context);
    await wallets.create();
    await wallets.create();
    await wallets.create();
    for (const wallet of wallets.all) await wallets.readAgain(wallet);
    await wallets.list();
    expect([...findings.wrong]).toEqual([]);

    const [first, second] = wallets.all;
    const read = async (handle: string) => ok(await client.get(`/wallets/${handle}`)).body;
    await client.drop('/wallets/w-0', await read('w-0'));
    const { data } = await read('w-1');
    ok(await client.update('/wallets/w-1', await read('w-1'), { ...data, custom: { ...data.custom, updates: 7 } }));
    await wallets.readAgain(first);
    await wallets.readAgain(second);
    await wallets.list();
    const payments = new Payments(context);
    await payments.readAgain({ handle: 'p-0', isRejected: false });
    await payments.readBalance('here-0');
    expect([...findings.wrong.keys()]).toEqual([
      'an acknowledged wallet is missing',
      'a wallet is read otherwise than it was acknowledged',
      'a list leaves out what it has',
      'an acknowledged payment is missing',
      'a balance is wrong',
    ]);
  });
});
