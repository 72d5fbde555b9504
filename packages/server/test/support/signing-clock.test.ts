import { expect, it } from 'vitest';
import { createMigratedDatabase } from './database.js';
import { startServer } from './server.js';
import { signingMoment } from './signing-clock.js';

it('clients sign by the clock of a server until that is closed, however', async () => {
  const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
  const now = Date.now() - 86_400_000;
  const database = await createMigratedDatabase();
  try {
    const { server } = await startServer({ database, runtime: { now: () => now, random } });
    expect(Date.parse(signingMoment())).toBeLessThanOrEqual(now);
    await server.close();
    expect(Date.parse(signingMoment())).toBeGreaterThan(now);
  } finally {
    await database.drop();
  }
});
