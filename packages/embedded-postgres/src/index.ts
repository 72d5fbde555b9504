export { type BaseBackup, writeBaseBackup } from './base-backup.js';
export { findMajor } from './binaries.js';
export { findPostgres } from './find.js';
export type { RestartBounds } from './keep.js';
export { CannotRestore, type Restored, type RestoreOptions, restorePostgres, sumOf } from './restore.js';
export { type Postgres, type PostgresOptions, startPostgres } from './start.js';
export { leadsTo } from './timelines.js';
export { forgetWal, isKept, keepWal, pruneWal, type WalKeeper, type WalKeeperOptions } from './wal-keeper.js';
