import { TooMuchWork } from '../../metering/task.js';

/** The hint that is found; none where the request has no steps left to find it, as what it asks for is allowed without. */
export function hintWithin(find: () => string | undefined): { hint?: string } {
  try {
    const hint = find();
    return hint === undefined ? {} : { hint };
  } catch (error) {
    if (error instanceof TooMuchWork) return {};
    throw error;
  }
}
