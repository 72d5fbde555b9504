import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deliveryLimits } from '../../src/deliveries/delivery-limits.js';
import { eventually } from '../support/eventually.js';
import { seeded } from '../support/seed.js';
import { withOwnServer } from '../support/server.js';
import { withReceiver } from './receiver.js';
import { addWallet, copyDelivery, subscribedLedger } from './scene.js';

const running = withOwnServer({ deliveryAllowPrivate: true });
const receiver = withReceiver();
const random = seeded();

/** Milliseconds that a lost hint may cost. */
const PROMISED = 250;

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1]!;

it('a change whose hint is lost is delivered 250 ms later at most', async () => {
  expect(deliveryLimits.every).toBeLessThanOrEqual(PROMISED);
  const client = await subscribedLedger(running.current.url, receiver.url);
  /** Milliseconds from the end of what queues an event until the event is received. */
  const receipt = async (queue: () => Promise<unknown>) => {
    // The run before has ended, and the look that comes next is anywhere within its time.
    await pause(2 * deliveryLimits.linger + PROMISED * random());
    const before = receiver.received.length;
    await queue();
    const queued = performance.now();
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(before));
    return performance.now() - queued;
  };
  const [hinted, lost]: [number[], number[]] = [[], []];
  for (let round = 0; round < 11; round += 1) {
    hinted.push(await receipt(() => addWallet(client, `w-${round}`)));
    // What SQL queues is told to nobody.
    lost.push(await receipt(() => copyDelivery(running.current, client, 'hook', 1)));
  }
  // The medians: a single receipt may be late for other reasons.
  expect(median(lost) - median(hinted)).toBeLessThan(PROMISED);
});
