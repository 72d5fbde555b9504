export { findPostgres } from './find.js';
export type { RestartBounds } from './keep.js';
export { type Postgres, type PostgresOptions, startPostgres } from './start.js';
