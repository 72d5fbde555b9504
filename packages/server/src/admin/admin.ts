export { AdminRefused } from './database.js';
export { runResume, runSuspend, type StoredSuspension, type SuspendCall, type SuspensionOfLedger } from './suspend.js';
