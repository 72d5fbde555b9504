export { type BackupCall, type MadeBackup, runBackup } from './backup.js';
export type { Diagnosis } from './diagnosis.js';
export type { AwaitedCall, OpenIntentLine, OpenIntentsPage, RetriedIntents } from './intents.js';
export type { LedgerLine, LedgerOrder, LedgersPage, ShownQuota } from './ledgers.js';
export type { LedgerView } from './one-ledger.js';
export { type InputOf, type OperationName, type OutputOf, runBeside } from './operations.js';
export { type Refusal, type RefusalReason, refusalOf } from './refusals.js';
export { type RestoreCall, type RestoredBackup, runRestore } from './restore.js';
export { type RotatedKey, type RotateKeyCall, runRotateKey } from './rotate-key.js';
