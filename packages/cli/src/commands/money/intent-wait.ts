import type { Ledger, Schemas } from '@countersign/client';
import type { JsonObject } from '@countersign/protocol';
import type { Option } from '../../description/definition.js';
import type { Invocation } from '../../description/invocation.js';
import { Failure, usage } from '../../terminal/failure.js';
import { adviceOn } from '../../wire/advice.js';

type Intent = Schemas['intent'];

/** Options of commands that may wait for an intent. */
export const WAIT: readonly Option[] = [
  { flags: '--wait', about: 'wait until the intent is completed or rejected; rejected is exit code 1' },
  { flags: '--timeout <seconds>', about: 'how long --wait waits at most; then the exit code is 6', default: '60' },
];

/**
 * The intent once it is final, where the call says `--wait`; else as it is.
 *
 * @param wanted how it is to end; undefined where either is well
 * @throws Failure when it ends otherwise, or is not final in time
 */
export async function awaitIntent(
  invocation: Invocation,
  ledger: Ledger,
  made: Intent,
  wanted?: 'completed' | 'rejected',
): Promise<Intent> {
  const intent = invocation.is('wait') ? await waitUntilFinal(ledger, made, await timeoutOf(invocation)) : made;
  const { status } = intent.meta;
  if (status === 'rejected' && wanted === 'completed') throw intentFailure(intent as unknown as JsonObject);
  if (status === 'completed' && wanted === 'rejected') {
    throw new Failure('refused', 'The intent was completed before.', { body: intent as unknown as JsonObject });
  }
  return intent;
}

/** Seconds that are waited. Wrong ones are told before anything is signed. */
export async function timeoutOf(invocation: Invocation): Promise<number> {
  const text = await invocation.need('timeout');
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text) || Number(text) <= 0) throw usage('--timeout is a number above 0.');
  return Number(text);
}

async function waitUntilFinal(ledger: Ledger, made: Intent, seconds: number): Promise<Intent> {
  const signal = AbortSignal.timeout(seconds * 1000);
  try {
    return await ledger.intents.settled(made, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const { handle } = made.data;
    throw new Failure('pending', `The intent ${handle} is not final after ${seconds} seconds.`, {
      advice: `it continues without you: \`countersign intent show ${handle}\` shows its state`,
    });
  }
}

/** An intent that failed, with the reason that its proofs tell. */
function intentFailure(intent: JsonObject): Failure {
  const { proofs } = intent.meta as { proofs: { custom?: { status?: string; reason?: string; detail?: string } }[] };
  const { reason, detail } = proofs.findLast(({ custom }) => custom?.status === 'failed')?.custom ?? {};
  const again = 'the intent is final: send another under another handle';
  const advice = reason === undefined ? undefined : adviceOn({ reason });
  return new Failure('refused', detail ?? 'The intent was rejected.', {
    reason,
    advice: advice === undefined ? again : `${advice}; ${again}`,
    body: intent,
  });
}
