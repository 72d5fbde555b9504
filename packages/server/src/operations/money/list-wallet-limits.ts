import { canonical, type Json, readJson } from '@countersign/protocol';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { OF_LIMITS } from '../../lists/filters.js';
import type { Answer, Command } from '../../records/command.js';
import type { LimitRow } from '../../store/money/rows.js';
import { component, EVERY_OPERATION, type Operation } from '../operation.js';
import { listRows, type RowList } from './list-rows.js';
import { describeRows } from './row-components.js';

const LIMIT_LIST: RowList<LimitRow> = {
  fields: OF_LIMITS,
  read: (lists, query) => lists.limits(query),
  itemOf: ({ body }) => ({ text: body, canonical: canonical(readJson(body) as Json) }),
};

/**
 * `GET /wallets/{id}/limits` (interface/wallets#limits): a page of the limits of a wallet, by symbol and metric, with
 * `page.total`.
 */
async function answerLimits(session: Session, kind: Kind, command: Command): Promise<Answer> {
  return listRows(session, kind, command, LIMIT_LIST);
}

const METRICS = ['minBalance', 'maxBalance', 'dailyAmount', 'dailyCount'];

/** The operation `limits`. */
export const listWalletLimits: Operation = {
  name: 'limits',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('limits'),
  routes: () => [{ method: 'GET', of: 'record', path: '/limits' }],
  perform: answerLimits,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  asks: { action: 'read', record: 'wallet' },
  description: {
    id: (one) => `list${one}Limits`,
    summary: (one) => `List the limits of ${one}, by symbol and metric`,
    parameters: ['page', 'limit-filters'],
    components: {
      answers: {
        ...describeRows('wallet-limit'),
        'wallet-limit': {
          type: 'object',
          required: ['hash', 'data', 'luid', 'meta'],
          properties: {
            hash: component('hash'),
            data: {
              type: 'object',
              required: ['wallet', 'symbol', 'metric', 'amount'],
              properties: {
                wallet: { type: 'string', description: 'Handle of the wallet.' },
                symbol: { type: 'string', description: 'Handle of the symbol.' },
                metric: { type: 'string', enum: METRICS },
                amount: { type: 'integer', description: 'In 1/factor units of the symbol; of `dailyCount` a number.' },
              },
            },
            luid: component('luid'),
            meta: component('answer-meta'),
          },
        },
      },
    },
    answers: () => ({ 200: { text: 'A signed page of limits.', component: 'wallet-limit-list' } }),
  },
};
