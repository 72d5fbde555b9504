import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { keepWal } from '@countersign/embedded-postgres';
import type { FastifyBaseLogger } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { copyFence } from '../log/fence.js';
import { assertOwn, fenceFolder, findBackups, timeOfBackup } from './folder.js';

/** Milliseconds from one copy to the next: what a lost machine may cost. */
const PAUSE = 5_000;

/** Milliseconds from one copy of the fence to the next, and how far back each looks. */
const FENCE = { pause: 60_000, overlap: 60_000 };

/** Milliseconds that a stop waits for the last copy. */
const LAST_COPY_WAIT = 10_000;

export interface BackupsOptions {
  /** BACKUP_DIR. */
  readonly folder: string;
  readonly dataDir: string;
  /** Of the embedded PostgreSQL. */
  readonly url: string;
  readonly logger: FastifyBaseLogger;
  readonly registry: Registry;
  readonly now: () => number;
}

/** Keeps the write-ahead log, and the fence of the logs, in the folder of backups for as long as the server runs. */
export async function keepForBackups(options: BackupsOptions): Promise<{ stop(): Promise<void> }> {
  const { folder, dataDir, url, logger, now } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new Error(`BACKUP_DIR ${folder} cannot be used: ${error.message}`);
  });
  await assertOwn(dataDir, folder);
  let keptAt = now();
  let isFailing = false;
  let fenceAt = 0;
  watchBackups(options, () => keptAt);
  const keeper = keepWal({
    url,
    folder: join(folder, 'wal'),
    pause: PAUSE,
    async before() {
      const at = now();
      if (at - fenceAt < FENCE.pause) return;
      const since = fenceAt === 0 ? 0 : fenceAt - FENCE.overlap;
      await copyFence(join(dataDir, 'log-fence'), fenceFolder(folder), 'server', since);
      fenceAt = at;
    },
    kept() {
      keptAt = now();
      if (isFailing) logger.info('the write-ahead log is kept for backups again');
      isFailing = false;
    },
    failed(error) {
      if (!isFailing)
        logger.error({ err: error }, 'the write-ahead log could not be kept for backups, and is tried again');
      isFailing = true;
    },
    gap: () => logger.error('write-ahead log is lost to backups: take a new backup'),
  });
  return { stop: () => Promise.race([keeper.stop(), pause(LAST_COPY_WAIT, undefined, { ref: false })]) };
}

function watchBackups({ folder, registry, now }: BackupsOptions, keptAt: () => number): void {
  const began = now();
  new Gauge({
    name: 'countersign_backup_wal_age_seconds',
    help: 'How long ago all of the write-ahead log was last in `BACKUP_DIR`. Absent without it.',
    registers: [registry],
    collect() {
      this.set((now() - keptAt()) / 1_000);
    },
  });
  new Gauge({
    name: 'countersign_backup_age_seconds',
    help: 'How long ago the newest backup in `BACKUP_DIR` was begun or, without one, the server was started. Absent without `BACKUP_DIR`.',
    registers: [registry],
    async collect() {
      const newest = (await findBackups(folder).catch(() => [])).at(-1);
      this.set((now() - (newest === undefined ? began : timeOfBackup(newest))) / 1_000);
    },
  });
}
