export { type BackupCall, type MadeBackup, runBackup } from './backup.js';
export type { Diagnosis } from './diagnosis.js';
export { type DoctorCall, runDoctor } from './doctor.js';
export {
  type AwaitedCall,
  type IntentsCall,
  type OpenIntentLine,
  type OpenIntentsPage,
  type RetriedIntents,
  runIntents,
  runIntentsRetry,
} from './intents.js';
export {
  type LedgerLine,
  type LedgerOrder,
  type LedgersCall,
  type LedgersPage,
  runLedgers,
  type ShownQuota,
} from './ledgers.js';
export { type LedgerCall, type LedgerView, runLedger } from './one-ledger.js';
export { type QuotaCall, type QuotaOfLedger, runQuota } from './quota.js';
export { type ReadOnlyCall, type ReadOnlyState, runReadOnly } from './read-only.js';
export { type Refusal, type RefusalReason, refusalOf } from './refusals.js';
export { type RestoreCall, type RestoredBackup, runRestore } from './restore.js';
export { type RotatedKey, type RotateKeyCall, runRotateKey } from './rotate-key.js';
export { runResume, runSuspend, type StoredSuspension, type SuspendCall, type SuspensionOfLedger } from './suspend.js';
