import { Overloaded } from '../../base/gather.js';
import type { NewIntent } from '../../ledgers/service.js';
import { stepsOfText } from '../../metering/task.js';
import { NoAnswer, type Siblings } from '../../siblings/siblings.js';
import type { Outcome } from '../../store/committer/write.js';
import { formatIntent, parseAnswer } from './message.js';

/** The process is not the home of the ledger any more; it has stored nothing. */
export class Elsewhere extends Error {}

/**
 * Hands a new intent to the home of its ledger, which decides on it and stores it.
 *
 * @param holder name of the home
 * @returns undefined where the home cannot be reached in this way
 * @throws Elsewhere; NoAnswer where it is unknown whether it was stored, or will be; and what deciding throws
 */
export type HandOver = (holder: string, intent: NewIntent) => Promise<Outcome> | undefined;

export function createHandOver(siblings: Siblings): HandOver {
  return (holder, intent) => {
    const { session, write } = intent;
    // Values of secrets are sealed bytes: no intent has any.
    if (write.secrets?.length) return undefined;
    const question = formatIntent(session.ledger, intent);
    session.task.chargeUnbounded(stepsOfText(question));
    return siblings.ask(holder, question)?.then(outcomeOf);
  };
}

function outcomeOf(text: string): Outcome {
  const answered = parseAnswer(text);
  if ('outcome' in answered) return answered.outcome;
  if ('refusal' in answered) throw answered.refusal;
  if ('overloaded' in answered) throw new Overloaded(answered.overloaded);
  if ('elsewhere' in answered) throw new Elsewhere();
  if ('lost' in answered) throw new NoAnswer();
  throw new Error(answered.failed);
}
