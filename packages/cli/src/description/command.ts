import type { Definition } from './definition.js';
import type { Invocation } from './invocation.js';

/** A command. */
export interface CliCommand extends Definition {
  /** @throws Failure when it does not succeed */
  run(invocation: Invocation): Promise<void>;
}
