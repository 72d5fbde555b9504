import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';
import { parseFilters } from '../../lists/filters.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { describeFound } from './answer-components.js';
import { answerFromLedger } from './from-ledger.js';
import { answerQuestion } from './question.js';
import { authorizeList } from './reader.js';
import { makeWalletFilters } from './wallet-filter.js';

/**
 * `GET /wallets/{id}/anchors` (interface/lookups#anchors-of-a-wallet): the anchors that name the wallet, those that the
 * caller may list; or what the wallet's bridge has.
 */
export async function listAnchors(
  session: Session,
  _: Kind,
  { params, query, token, request }: Command,
): Promise<Answer> {
  const kind = kindNamed('anchor');
  const address = params.id ?? '';
  const filters = parseFilters(kind, query);
  return answerQuestion(session, {
    ...{ trait: 'anchors', kind, address, request, token, about: { wallet: address }, path: '/anchors' },
    reader: (current) => authorizeList(current, kind, token),
    own: (current, reader, wallet) =>
      answerFromLedger(current, kind, [...makeWalletFilters(address, wallet), ...filters], reader),
  });
}

/** The operation `anchors`. */
export const walletAnchors: Operation = {
  name: 'anchors',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('anchors'),
  routes: () => [{ method: 'GET', of: 'address', path: '/anchors' }],
  perform: listAnchors,
  refusals: { always: [...EVERY_OPERATION, 'bridge.proxy-response-invalid'] },
  asks: { action: 'query', record: 'anchor' },
  description: {
    id: (one) => `read${one}Anchors`,
    summary: (one) => `Read the anchors of ${one}, from its bridge where that has them`,
    parameters: ['filters'],
    components: { answers: describeFound('anchor', true) },
    answers: () => ({ 200: { text: 'The anchors, newest change first.', component: 'found-anchors' } }),
  },
};
