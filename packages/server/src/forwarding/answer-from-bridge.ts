import type { Session } from '../ledgers/session.js';
import type { AnswerFromBridge } from '../operations/stage.js';
import type { Answer } from '../records/command.js';
import { type Forwarding, HandoverToBridge } from './call.js';

/**
 * Answers a write that only a bridge keeps, after it was decided. Once it is sent the bridge may have done it, so later
 * sessions go straight to the answer: a right that is lost, or a record that is dropped during the call, comes after it.
 *
 * @throws HandoverToBridge, and what `answer` throws
 */
export async function answerWriteFromBridge(
  session: Session,
  forwarding: Forwarding,
  answer: AnswerFromBridge,
): Promise<Answer> {
  try {
    return await answer(session);
  } catch (error) {
    if (error instanceof HandoverToBridge) forwarding.answer = answer;
    throw error;
  }
}
