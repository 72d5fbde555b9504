import { DESCRIPTION } from '@countersign/client/description';

/** Every page of the console, by its name: addresses of a ledger that has records of every kind. */
export function pagesOf(ledger: string): Record<string, string> {
  const lists = DESCRIPTION.filter(({ parent, item }) => parent === undefined && item.includes('{id}'));
  return {
    start: '/',
    check: '/check',
    overview: `/l/${ledger}`,
    ...Object.fromEntries(lists.map(({ record }) => [record, `/l/${ledger}/${record}`])),
    below: `/l/${ledger}/signer-factor`,
    record: `/l/${ledger}/wallet/alice`,
    version: `/l/${ledger}/wallet/alice?change=1`,
    'ledger record': `/l/${ledger}/ledger/record`,
    begin: '/begin',
    flows: `/l/${ledger}/money`,
    wallet: `/l/${ledger}/money/wallet/alice`,
    missing: `/l/${ledger}/signer/nobody`,
    nowhere: `/l/${ledger}/nothing`,
  };
}
