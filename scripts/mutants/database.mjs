import { join } from 'node:path';
import { startEmbedded } from '../../packages/server/dist/store/embedded.js';

/** One PostgreSQL for all runs, in a folder below `folder`, unless `TEST_DATABASE_URL` names one. */
export async function startDatabase(folder) {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return startEmbedded({ dataDir: join(folder, 'database'), workers: 1, log: () => {} });
}
