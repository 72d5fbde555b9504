import { expect, it } from 'vitest';
import { momentLimits } from '../../src/base/ledger-clock.js';
import { issue, MoneyScene } from '../money/scene.js';
import { movedClock } from '../money/under-way.js';
import { newLedger } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { ok } from '../support/scene.js';
import { startServer } from '../support/server.js';

it('a process whose clock is far ahead of the database refuses writes, and takes them again (interface/envelope#moments)', async () => {
  const clock = movedClock();
  const server = await startServer({ runtime: clock, compareClock: true });
  try {
    const money = await MoneyScene.make(server.url, ['alice']);
    const { client } = money;
    clock.move(momentLimits.ahead + 60_000);
    let made = 0;
    const create = () => {
      made += 1;
      return client.create('/wallets', { handle: `w-${made}` });
    };
    const refused = await eventually(async () => {
      const answer = await create();
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(refused.body).toMatchObject({ data: { reason: 'api.unexpected-error' } });
    expect((await money.send([issue('alice', 5)])).answer.status).toBe(503);
    ok(await client.get('/wallets/alice'));
    clock.move(-momentLimits.ahead - 60_000);
    await eventually(async () => expect((await create()).status).toBe(201));
  } finally {
    await server.stop();
  }
});

it('one that starts so refuses the first write', async () => {
  const clock = movedClock();
  clock.move(momentLimits.ahead + 60_000);
  const server = await startServer({ runtime: clock, compareClock: true });
  try {
    await expect(newLedger(server.url)).rejects.toThrow('api.unexpected-error');
  } finally {
    await server.stop();
  }
});
