import { ArchiveRefusal } from '../archive/refusals.js';
import { DatabaseUnreachable } from '../store/queries/reach.js';
import { Illness } from './examinations/diagnosis.js';

/** What was asked for makes no sense, whatever the state of the deployment: correct the call. */
export class WrongCall extends ArchiveRefusal {
  override readonly name = 'WrongCall';
}

/** The call is right, and the deployment does not allow it as it stands: the same call may succeed later. */
export class AdminRefused extends ArchiveRefusal {
  override readonly name = 'AdminRefused';
}

/** A file or a setting of the machine is missing or wrong. */
export class UnusableHere extends ArchiveRefusal {
  override readonly name = 'UnusableHere';
}

/** Why an operation ends without success: exit codes of the command, and statuses of the operators' listener, follow from it. */
export type RefusalReason = 'wrong-call' | 'refused' | 'unusable' | 'unreachable' | 'unauthorized';

/** A refusal as it is told. */
export interface AdminRefusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  /** What to do. */
  readonly advice?: string;
}

/** What an error of an operation is to whoever asked for it; undefined for a defect. */
export function refusalOf(error: unknown): AdminRefusal | undefined {
  if (error instanceof WrongCall) return { reason: 'wrong-call', detail: error.message };
  if (error instanceof AdminRefused) return { reason: 'refused', detail: error.message };
  if (error instanceof UnusableHere) return { reason: 'unusable', detail: error.message };
  if (error instanceof Illness) return { reason: 'unusable', detail: error.message, advice: error.advice };
  if (error instanceof DatabaseUnreachable) return { reason: 'unreachable', detail: error.message };
  return undefined;
}
