import { hash as hashOf, type Json, type JsonObject } from '@countersign/protocol';
import { moment } from '../../base/clock.js';
import type { Session } from '../../ledgers/session.js';
import type { Answer } from '../../records/command.js';
import { component } from '../operation.js';

/** Answers with data that is no record: hashed, and signed by the ledger (interface/envelope). */
export function answerSigned({ suite, runtime, ledger }: Session, data: JsonObject): Answer {
  const hash = hashOf(data as Json, suite);
  const now = moment(runtime);
  const proofs = ledger.system.vouch(hash, { moment: now });
  return { status: 200, body: JSON.stringify({ hash, data, meta: { proofs, moment: now } }) };
}

/** The JSON Schema of such an answer. */
export function describeSigned(properties: object): object {
  return {
    type: 'object',
    required: ['hash', 'data', 'meta'],
    properties: {
      hash: component('hash'),
      data: { type: 'object', required: Object.keys(properties), properties },
      meta: component('answer-meta'),
    },
  };
}
