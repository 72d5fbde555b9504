// A server in a process of its own, from the built sources: what it is told is `ServerProcessOptions` of process.ts.
import { pino } from 'pino';
import { openServer } from '../../dist/app.js';

const { database, masterKey, ...options } = JSON.parse(process.argv[2]);
const server = await openServer({
  database: { connectionString: database },
  masterKey: Buffer.from(masterKey, 'base64'),
  publicUrl: 'http://127.0.0.1/v2',
  name: 'test',
  build: '0.0.0',
  logger: pino({ level: 'silent' }),
  deliveryAllowPrivate: true,
  ...options,
});
await server.app.listen({ port: 0, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${server.app.server.address().port}/v2`);
process.on('SIGTERM', () => void server.leave().then(() => process.exit(0)));
