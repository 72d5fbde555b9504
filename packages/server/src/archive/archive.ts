export { discardImport } from './begun-import.js';
export type { ErasedByOperator } from './erase.js';
export { type Exported, type ExportOptions, exportLedger } from './export.js';
export { type Imported, type ImportOptions, importLedger } from './import.js';
export { linesOfFile } from './lines-of-file.js';
export {
  type EraseCall,
  type ExportCall,
  type ImportCall,
  type RestartCall,
  runDiscard,
  runErase,
  runExport,
  runImport,
  runLogRestart,
} from './operator.js';
export { WrongPassphrase } from './passphrase.js';
export { ArchiveRefusal, EraseRefused, ExportRefused, ImportRefused } from './refusals.js';
export { type Begun, readBegun } from './resume.js';
