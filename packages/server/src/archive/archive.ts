export { type Exported, type ExportOptions, exportLedger } from './export.js';
export { type Imported, type ImportOptions, importLedger } from './import.js';
export { linesOfFile } from './lines-of-file.js';
export { type ExportCall, type ImportCall, runExport, runImport } from './operator.js';
export { WrongPassphrase } from './passphrase.js';
export { ExportRefused, ImportRefused, Refused } from './refused.js';
export { type Begun, readBegun } from './resume.js';
