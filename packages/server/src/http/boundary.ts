import { hash as hashOf, type Json, LedgerError } from '@countersign/protocol';
import type { FastifyReply } from 'fastify';
import { TokenRefused } from '../auth/token.js';
import { moment } from '../base/clock.js';
import { Overloaded } from '../base/gather.js';
import { RetryLater } from '../base/retry-later.js';
import { BridgeSecurityError } from '../bridges/security.js';
import { BridgeRefusal } from '../forwarding/error.js';
import { Corrupt } from '../integrity/integrity.js';
import { MasterKeyMissing } from '../keys/keyring.js';
import type { Ledger } from '../ledgers/ledger.js';
import { noteLedger, type RequestFacts } from '../ledgers/request-facts.js';
import type { Service } from '../ledgers/service.js';
import { LogStopped } from '../log/publish.js';
import { OutboundFailure } from '../outbound/outbound.js';
import type { Answer } from '../records/command.js';
import { ServerReadOnly } from '../store/deployment/read-only.js';
import { isUnavailable } from '../store/unavailable.js';
import { WritesRefused } from '../store/writes-refused.js';
import type { Received } from './command.js';
import { alsoExpose } from './cors.js';
import { sendFile } from './file.js';
import type { HttpService } from './http-service.js';

/** Tells operators of unexpected errors, and of the cause behind an error answer. */
export type ReportError = (error: unknown, ledger?: Ledger) => void;

/**
 * Runs an operation and turns whatever it throws into the signed error answer of interface/errors: the one place where
 * errors become answers.
 *
 * @param resolve finds the ledger of the request; undefined for operations outside every ledger
 * @param perform the operation; `isLate` tells whether the request has timed out and been answered
 * @param report called with every unexpected error, and with the cause of an expected one, such as an unreachable
 *   bridge; causes stay out of the answer
 * @param facts where the ledger and the error's reason are noted
 */
export async function answerRequest(
  service: Service,
  resolve: () => Promise<Ledger | undefined>,
  perform: (ledger: Ledger | undefined, isLate: () => boolean) => Promise<Answer>,
  report: ReportError,
  facts: RequestFacts = {},
): Promise<Answer> {
  let ledger: Ledger | undefined;
  let late = false;
  const work = async () => {
    ledger = await resolve();
    if (ledger) noteLedger(facts, service, ledger);
    const answer = await perform(ledger, () => late);
    // Nobody takes the file of an answer that comes too late.
    if (late) answer.file?.close();
    return answer;
  };
  try {
    return await answerInTime(service.requestTimeout, work(), () => {
      late = true;
    });
  } catch (error) {
    facts.reason = reasonOf(error);
    if (error instanceof LedgerError) {
      // The cause is for operators only: why a bridge was out of reach, or a token was refused.
      if (error.cause !== undefined) report(error.cause, ledger);
      const answer = errorAnswer(service, ledger, error);
      return error instanceof RetryLater ? { ...answer, retryAfter: error.retryAfter } : answer;
    }
    if (error instanceof BridgeRefusal) return relayBridgeError(service, ledger, error);
    if (error instanceof LogStopped) return operatorRefuses(service, ledger, LOG_STOPPED);
    report(error);
    if (error instanceof ServerReadOnly) return operatorRefuses(service, ledger, error.message);
    if (error instanceof Overloaded || isUnavailable(error)) return unavailable(service, ledger);
    return errorAnswer(service, ledger, new LedgerError('api.unexpected-error', 'Unexpected server error'));
  } finally {
    // Another process may have changed it since this one last looked: what was decided on counts as well.
    const latest = ledger && service.ledgers.find(ledger.handle);
    if (latest) noteLedger(facts, service, latest);
  }
}

/** The reason in the answer to an error; that of another service stays out of the log. */
function reasonOf(error: unknown): string {
  if (error instanceof LedgerError) return error.reason;
  return error instanceof BridgeRefusal ? 'bridge' : 'api.unexpected-error';
}

/**
 * The answer of `work`, unless it takes longer than `patience` milliseconds.
 *
 * @param onLate called on timeout
 * @throws `api.request-timeout` on timeout; the work may still complete (interface/records#sending-a-request-again)
 */
export function answerInTime<T>(patience: number, work: Promise<T>, onLate: () => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate();
      reject(tooLate());
    }, patience);
    work.then(
      (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

function tooLate(): LedgerError {
  const detail = 'The request took too long. It may or may not have been processed; sending it again is safe.';
  return new LedgerError('api.request-timeout', detail);
}

/** Seconds after which a client may try again when the database is out of reach or the queues are full. */
const RETRY_AFTER_SECONDS = 1;

function unavailable(service: Service, ledger: Ledger | undefined): Answer {
  const error = new LedgerError('api.unexpected-error', 'The service is not available at the moment. Retry later.');
  return { ...errorAnswer(service, ledger, error), status: 503, retryAfter: RETRY_AFTER_SECONDS };
}

/** Seconds after which it may be worth asking again for what only an operator can set right. */
const OPERATOR_AFTER = 60;

/** Nothing of a log is shown that contradicts what was shown; why is for the operator (interface/log#restores). */
const LOG_STOPPED =
  'The log of this ledger is stopped until its operator has looked at it. Records are served as usual.';

function operatorRefuses(service: Service, ledger: Ledger | undefined, detail: string): Answer {
  const error = new LedgerError('api.unexpected-error', detail);
  return { ...errorAnswer(service, ledger, error), status: 503, retryAfter: OPERATOR_AFTER };
}

/**
 * A signed error (interface/errors).
 *
 * @param ledger absent until one is resolved: the error is then unsigned
 */
export function errorAnswer(service: Service, ledger: Ledger | undefined, error: LedgerError): Answer {
  const { reason, detail, custom, status } = error;
  const data = { reason, detail, custom };
  const hash = hashOf(data as Json, service.suite);
  const now = moment(service.runtime);
  const proofs = ledger ? ledger.system.vouch(hash, { moment: now }) : [];
  return { status, body: JSON.stringify({ hash, data, meta: { proofs, moment: now } }) };
}

/**
 * The error of a bridge, passed on unchanged with the ledger's proof added
 * (interface/forwarding#what-is-checked-of-an-answer).
 */
function relayBridgeError(
  service: Service,
  ledger: Ledger | undefined,
  { status, hash, data, proofs }: BridgeRefusal,
): Answer {
  const now = moment(service.runtime);
  const own = ledger ? ledger.system.vouch(hash, { moment: now, causedBy: DERIVED }) : [];
  return { status, body: JSON.stringify({ hash, data, meta: { proofs: [...proofs, ...own], moment: now } }) };
}

const DERIVED = { detail: 'Error derived from anchor forwarding response' };

/** Logs an outbound failure as a warning only: its remedy lies with another operator, and it may last for days. */
export function makeErrorReport(service: HttpService, { log, method, url, routeOptions }: Received): ReportError {
  return (error, ledger) => {
    if (error instanceof TokenRefused) {
      service.tokenRefused?.({ method, route: routeOptions.url, ledger: ledger?.handle, why: error.why });
      return;
    }
    // Why was logged once, instead of one line for every refused request.
    if (error instanceof WritesRefused || error instanceof MasterKeyMissing) return;
    if (error instanceof BridgeSecurityError) {
      log.warn({ method, url, kind: 'security', failure: error.message }, 'outbound call failed');
    } else if (error instanceof OutboundFailure) {
      const { kind, code, message } = error;
      log.warn({ method, url, kind, code, failure: message }, 'outbound call failed');
    } else if (!(error instanceof Corrupt)) {
      // Corruption has been logged where it was found.
      log.error({ err: error, method, url }, 'unexpected error');
    }
  };
}

/** Sends an operation's answer. */
export function sendAnswer(
  reply: FastifyReply,
  { status, body, type, file, retryAfter, hint, confidential }: Answer,
): FastifyReply {
  if (confidential) reply.header('cache-control', 'no-store');
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  if (hint !== undefined) alsoExpose(reply.header('x-hint', hint), 'x-hint');
  if (file) return sendFile(reply.code(status), file);
  // A drop has the type that the interface names for it; a retry has none (interface/effects#retry).
  if (status === 202) return reply.code(status).send();
  if (body === undefined) return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send();
  return reply
    .code(status)
    .header('content-type', type ?? 'application/json; charset=utf-8')
    .send(body);
}
