// A server in a process of its own, from the built sources: what it is told is `ServerProcessOptions` of process.ts.
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { openServer } from '../../dist/app.js';
import { siblingLimits } from '../../dist/http/relay/sibling-limits.js';
import { sequencerLimits } from '../../dist/money/sequencer-limits.js';

const limits = { sequencer: sequencerLimits, siblings: siblingLimits };
const { database, masterKey, bounds = {}, ahead, ...options } = JSON.parse(process.argv[2]);
for (const [name, some] of Object.entries(bounds)) Object.assign(limits[name], some);
const clock = { ahead, now: () => Date.now() + clock.ahead, random: randomBytes };
const server = await openServer({
  database: { connectionString: database },
  masterKey: Buffer.from(masterKey, 'base64'),
  publicUrl: 'http://127.0.0.1/v2',
  name: 'test',
  build: '0.0.0',
  logger: pino({ level: 'silent' }),
  deliveryAllowPrivate: true,
  ...(ahead === undefined ? {} : { runtime: clock }),
  ...options,
});
await server.app.listen({ port: 0, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${server.app.server.address().port}/v2`);
process.on('SIGTERM', () => void server.leave().then(() => process.exit(0)));
process.on('message', (message) => {
  clock.ahead = message.ahead;
  process.send(message);
});
// Nothing is left of a test that was ended.
process.on('disconnect', () => process.exit(1));
