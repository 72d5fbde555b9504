import type { Kind } from '../kinds/kind.js';
import { parseParameters } from '../lists/query.js';
import type { Command } from '../records/command.js';

/** `include`, alone or as a list: `include[0]`, `include[]`. */
const INCLUDE_NAME = /^include(\[\d*\])?$/;

/**
 * Whether the request asks for the values of the record's secrets, `include=meta.secret`, of a kind that shows them
 * (interface/signers#secrets). For other kinds it is ignored, like every unknown parameter.
 *
 * @throws `api.query-malformed` for a malformed query
 */
export function asksForSecrets(kind: Kind, command: Command): boolean {
  if (kind.secrets.reveals === undefined || command.query === '') return false;
  return parseParameters(command.query).some(([name, value]) => INCLUDE_NAME.test(name) && value === 'meta.secret');
}
