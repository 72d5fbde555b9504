import { AnswerError, isRefusal, TokenError, UnreachableError } from '@countersign/client';
import type { Json } from '@countersign/protocol';
import { Failure } from './terminal/failure.js';
import { adviceOn } from './wire/advice.js';

/** What an error of the client is to the user; undefined for any other error. */
export function failureOf(error: unknown): Failure | undefined {
  if (isRefusal(error)) {
    const { reason, detail, custom, toTry } = error;
    const { errors = [], hint } = custom;
    return new Failure('refused', detail, {
      reason,
      advice: typeof hint === 'string' ? hint : (adviceOn(reason) ?? toTry),
      errors: errors.map((one) => {
        if (typeof one !== 'object') return String(one);
        return `${one.instancePath ?? ''} ${one.message ?? JSON.stringify(one)}`.trim();
      }),
      body: { data: { reason, detail, custom: custom as unknown as Json } },
    });
  }
  if (error instanceof AnswerError) {
    return new Failure('untrusted', `The answer does not verify: ${error.message}.`, { advice: error.toTry });
  }
  if (error instanceof TokenError) {
    return new Failure('refused', error.message, { reason: error.error, advice: error.toTry });
  }
  if (error instanceof UnreachableError) {
    return new Failure('unreachable', `The server does not answer: ${error.message}.`, {
      advice: 'see that it runs (`countersign status`); a write may have been done all the same',
    });
  }
  return undefined;
}
