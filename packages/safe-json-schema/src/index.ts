export type { Bounds } from './bounds.js';
export { type CompiledSchema, compileInSlices, compileSchema, SchemaError, type Verdict } from './compile.js';
export { shortenError, type ValidationError } from './errors.js';
