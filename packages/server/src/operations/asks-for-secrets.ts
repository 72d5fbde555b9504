import type { Kind } from '../kinds/kind.js';
import { parametersOf } from '../lists/query.js';
import type { Command } from '../records/command.js';

/** `include`, alone or as a list: `include[0]`, `include[]`. */
const INCLUDE = /^include(\[\d*\])?$/;

/**
 * Whether the request asks for the values of the record's secrets, `include=meta.secret`, of a kind that shows them
 * (interface/signers#secrets). For other kinds it is ignored, like every unknown parameter.
 *
 * @throws `api.query-malformed` for a malformed query
 */
export function asksForSecrets(kind: Kind, command: Command): boolean {
  if (kind.secrets.reveals === undefined || command.query === '') return false;
  return parametersOf(command.query).some(([name, value]) => INCLUDE.test(name) && value === 'meta.secret');
}
