export type { Bounds } from './bounds.js';
export { type CompiledSchema, compileSchema, SchemaError, type Verdict } from './compile.js';
export { shortenError, type ValidationError } from './errors.js';
