import { RetryLater } from '../../base/retry-later.js';

/** A change is stored, and not in the log yet: within a second, as a rule (interface/log#inclusion). */
export class NotSealed extends RetryLater {
  override readonly name = 'NotSealed';

  constructor() {
    super('record.not-found', 'Change is not sealed yet', 1);
  }
}
