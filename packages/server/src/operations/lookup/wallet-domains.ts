import type { Kind } from '../../kinds/kind.js';
import { kindNamed } from '../../kinds/registry.js';
import type { Session } from '../../ledgers/session.js';
import { listText } from '../../lists/text.js';
import type { Answer, Command } from '../../records/command.js';
import { EVERY_OPERATION, type Operation } from '../operation.js';
import { describeFound } from './answer-components.js';
import { answerQuestion } from './question.js';
import { authorizeList } from './reader.js';

/**
 * `GET /wallets/{id}/domains` (interface/lookups#domains-of-a-wallet): those that the wallet's bridge has. The ledger
 * knows of none itself.
 */
export async function listDomains(session: Session, _: Kind, { params, token, request }: Command): Promise<Answer> {
  const kind = kindNamed('domain');
  const address = params.id ?? '';
  return answerQuestion(session, {
    ...{ trait: 'domains', kind, address, request, token, about: { wallet: address }, path: '/domains' },
    reader: (current) => authorizeList(current, kind, token),
    own: async (current) => ({ status: 200, body: listText(current, current.ledger, []) }),
  });
}

/** The operation `domains`. */
export const walletDomains: Operation = {
  name: 'domains',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('domains'),
  routes: () => [{ method: 'GET', of: 'address', path: '/domains' }],
  perform: listDomains,
  refusals: { always: [...EVERY_OPERATION, 'bridge.proxy-response-invalid'] },
  asks: { action: 'query', record: 'domain' },
  description: {
    id: (one) => `read${one}Domains`,
    summary: (one) => `Read the domains that the bridge of ${one} has for it`,
    components: { answers: describeFound('domain', false) },
    answers: () => ({ 200: { text: 'The domains.', component: 'found-domains' } }),
  },
};
