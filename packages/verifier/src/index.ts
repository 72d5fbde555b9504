export * from './file.js';
export * from './finding.js';
export { KIND_NAMES, kindOfLuid } from './kinds.js';
export { LedgerVerifier, type VerifierOptions } from './ledger-verifier.js';
export * from './lines.js';
export type { HeldCheckpoint } from './log/checkpoints.js';
export type { Summary } from './summary.js';
export type { RecordVersion } from './version.js';
