import { type Json, LedgerError } from '@countersign/protocol';
import { type TSchema, Type } from 'typebox';
import { moment } from '../../base/clock.js';
import { NO_MESSAGE } from '../../keys/bare-moment.js';
import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';
import type { Answer, Command } from '../../records/command.js';
import { checkUserSchema, type SchemaSubject } from '../../records/data-rules.js';
import type { SentRecord } from '../../records/sent-record.js';
import { addHash, envelope, makeBodyCheck } from '../bodies.js';
import { type Operation, SIGNED } from '../operation.js';
import { assertProofsUnused } from '../proof-use.js';
import { verifySignedBody } from '../verify-signed-body.js';
import { parseLookupFilters } from './filters.js';
import { answerFromLedger } from './from-ledger.js';
import { answerQuestion } from './question.js';
import { authorizeLookup } from './reader.js';
import { makeWalletFilters } from './wallet-filter.js';

/** Further members are for bridges and users' schemas. */
const ANY_MEMBER = { additionalProperties: true };

/** Takes data without `wallet` too, which is refused like another address (interface/lookups#lookup). */
const checkLookup = makeBodyCheck<SentRecord>(envelope(Type.Object(NO_MESSAGE, ANY_MEMBER), 'optional'));

const lookupSchema: TSchema = envelope(
  Type.Object(
    { wallet: Type.String({ description: 'The address, as it is in the path.' }), ...NO_MESSAGE },
    ANY_MEMBER,
  ),
  'optional',
);

/** Users' schemas for `anchor-lookup` apply to the data of a lookup (interface/schemas#enforcement). */
const ANCHOR_DATA: SchemaSubject = { name: 'anchor-lookup', data: { schemas: 'applied' } };

/**
 * `POST /wallets/{id}/anchors/!lookup` (interface/lookups#lookup): the anchors of the wallet that match the signed data, or
 * those that its bridge finds. The bridge is asked with a proof of the ledger's in place of the client's. Nothing is stored.
 */
// biome-ignore format: what each step refuses stands beside it
export async function lookUpAnchors(session: Session, walletKind: Kind, command: Command): Promise<Answer> {
  const { params, body, token, request } = command;
  const kind = kindNamed('anchor');
  const sent = checkLookup(addHash(session, body, token));                      // record.schema-invalid
  const signed = await verifySignedBody(session, walletKind, sent, token);      // crypto.hash-invalid, crypto.signature-missing, crypto.signature-invalid, record.invalid
  const { data } = sent;
  const address = params.id ?? '';
  if (data.wallet !== address) throw addressMismatch();                         // record.invalid
  return answerQuestion(session, {
    ...{ trait: 'anchors', kind, address, request, token, about: data, path: '/anchors/!lookup' },
    async reader(current) {
      const reader = await authorizeLookup(current, kind, signed);              // auth.forbidden
      // Proofs of a record are shown to its readers. Unless used ones are refused, a reader could look up as their signer.
      await assertProofsUnused(current, signed, '');                            // record.invalid
      return reader;
    },
    check: (current, wallet) => checkUserSchema(current, ANCHOR_DATA, data, wallet?.meta.domain), // record.relation-not-found, record.schema-invalid
    body({ ledger, runtime }) {
      const proofs = [ledger.system.fresh(signed.hash, { moment: moment(runtime) })];
      return { hash: signed.hash, data, meta: { proofs: proofs as unknown as Json[] } };
    },
    own: (current, reader, wallet) =>
      answerFromLedger(current, kind, [...makeWalletFilters(address, wallet), ...parseLookupFilters(data)], reader), // record.invalid, api.query-malformed
  });
}

function addressMismatch(): LedgerError {
  return new LedgerError('record.invalid', 'Address in the request does not match the address in the data');
}

/** The operation `lookup`. */
export const lookupAnchors: Operation = {
  name: 'lookup',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('lookup'),
  routes: () => [{ method: 'POST', of: 'address', path: '/anchors/!lookup' }],
  perform: lookUpAnchors,
  refusals: { always: [...SIGNED, 'record.relation-not-found', 'bridge.proxy-response-invalid'] },
  asks: { action: 'lookup', record: 'anchor' },
  description: {
    id: (one) => `lookup${one}Anchors`,
    summary: (one) => `Look up anchors of ${one}, at its bridge where that has them`,
    body: () => 'lookup',
    components: { requests: { lookup: lookupSchema } },
    answers: () => ({ 200: { text: 'The anchors found, newest change first.', component: 'found-anchors' } }),
  },
};
