import type { Json, RecordEnvelope } from '@countersign/protocol';
import { type ListItem, newListItem } from '../../integrity/items.js';
import type { Kind } from '../../kinds/kind.js';
import type { Session } from '../../ledgers/session.js';
import { OF_BALANCES } from '../../lists/filters.js';
import type { Answer, Command } from '../../records/command.js';
import type { BalanceRow } from '../../store/money/rows.js';
import { component, EVERY_OPERATION, type Operation } from '../operation.js';
import { listRows, type RowList } from './list-rows.js';
import { describeRows } from './row-components.js';

const BALANCE_LIST: RowList<BalanceRow> = {
  fields: OF_BALANCES,
  read: (lists, query) => lists.balances(query),
  itemOf: toItem,
};

/**
 * `GET /wallets/{id}/balances` (interface/wallets#balances): a page of the balances of a wallet, by symbol, with
 * `page.total`.
 */
async function answerBalances(session: Session, kind: Kind, command: Command): Promise<Answer> {
  return listRows(session, kind, command, BALANCE_LIST);
}

/** A balance has no hash and no proofs: those of the intents that moved it say how it came about. */
function toItem({ symbol, schema, amount, luid, moment, changed }: BalanceRow, { data }: RecordEnvelope): ListItem {
  return newListItem({
    hash: '',
    data: { ...(changed ? { parent: '' } : {}), wallet: data.handle as Json, symbol, schema, amount },
    luid,
    meta: { moment: moment.toISOString() },
  });
}

/** The operation `balances`. */
export const listWalletBalances: Operation = {
  name: 'balances',
  isOf: ({ lifecycle }) => lifecycle.operations.includes('balances'),
  routes: () => [{ method: 'GET', of: 'record', path: '/balances' }],
  perform: answerBalances,
  refusals: { always: [...EVERY_OPERATION, 'record.not-found'] },
  asks: { action: 'read', record: 'wallet' },
  description: {
    id: (one) => `list${one}Balances`,
    summary: (one) => `List the balances of ${one}, by symbol`,
    parameters: ['page', 'balance-filters'],
    components: {
      answers: {
        ...describeRows('balance'),
        balance: {
          type: 'object',
          required: ['hash', 'data', 'luid', 'meta'],
          properties: {
            hash: { type: 'string', enum: [''], description: 'Empty.' },
            data: {
              type: 'object',
              required: ['wallet', 'symbol', 'schema', 'amount'],
              properties: {
                parent: { type: 'string', enum: [''], description: 'Once the row has changed since it was made.' },
                wallet: { type: 'string', description: 'Handle of the wallet.' },
                symbol: { type: 'string', description: 'Handle of the symbol.' },
                schema: { type: 'string', enum: ['available', 'reserved'] },
                amount: { type: 'integer', description: 'In 1/factor units of the symbol; may be negative.' },
              },
            },
            luid: component('luid'),
            meta: {
              type: 'object',
              required: ['moment'],
              properties: { moment: { ...component('moment'), description: 'Of the last change of the row.' } },
            },
          },
        },
      },
    },
    answers: () => ({ 200: { text: 'A signed page of balances.', component: 'balance-list' } }),
  },
};
