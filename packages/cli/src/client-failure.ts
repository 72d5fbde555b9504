import { AnswerError, isRefusal, TokenError, UnreachableError } from '@countersign/client';
import type { Json } from '@countersign/protocol';
import { Failure } from './terminal/failure.js';
import { adviceOn, LOOK_BEFORE, TO_REACH } from './wire/advice.js';

/** What an error of the client is to the user; undefined for any other error. */
export function failureOfClient(error: unknown): Failure | undefined {
  if (isRefusal(error)) {
    const { reason, detail, custom, toTry, path } = error;
    const { errors = [], hint } = custom;
    // The detail names only the kind, such as "Wallet not found".
    const what = reason === 'record.not-found' ? `${detail}: ${pathWithoutQuery(path)}` : detail;
    return new Failure('refused', what, {
      reason,
      advice: typeof hint === 'string' ? hint : (adviceOn(error) ?? toTry),
      errors: errors.map((one) => {
        if (typeof one !== 'object') return String(one);
        return `${one.instancePath ?? ''} ${one.message ?? JSON.stringify(one)}${unknownIn(one)}`.trim();
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
    return serverUnreachable(error);
  }
  return undefined;
}

/** The path, decoded, without its query. @throws URIError where it is malformed */
function pathWithoutQuery(path: string): string {
  return decodeURIComponent(path.replace(/\?.*/s, ''));
}

/** The member that the interface's wording leaves unnamed. */
function unknownIn({ params }: Readonly<Record<string, unknown>>): string {
  const { unevaluatedProperty, additionalProperty } = (params ?? {}) as Record<string, unknown>;
  const name = unevaluatedProperty ?? additionalProperty;
  return typeof name === 'string' ? `: ${name}` : '';
}

/** A server that gave no answer, or none of a ledger server. */
function serverUnreachable({ message, status, cause, request }: UnreachableError): Failure {
  // `fetch` has the cause of the network below its own error.
  const { code } = ((cause as Error | undefined)?.cause ?? {}) as { code?: unknown };
  const fact =
    status === undefined
      ? `The server cannot be reached: ${message}${typeof code === 'string' ? ` (${code})` : ''}.`
      : `The server answered ${status}, and not like a ledger server.`;
  const isWrite = request !== undefined;
  return new Failure('unreachable', fact, {
    advice: isWrite ? `${TO_REACH}; ${LOOK_BEFORE}` : TO_REACH,
  });
}
