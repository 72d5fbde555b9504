/**
 * Rules of the tour's ledger: its owner may do everything, Ada and whoever is in the circle of cashiers may work with
 * wallets, Ada may send intents too, everyone may read records and see what became of deliveries.
 */
export const RULES = [
  { action: 'any', record: 'any', signer: { $ledger: 'owner' } },
  { action: 'access', signer: { handle: 'ada' } },
  { action: 'any', record: 'wallet', signer: { handle: 'ada' } },
  { action: 'create', record: 'intent', signer: { handle: 'ada' } },
  { action: 'access', signer: { $circle: 'cashiers' } },
  { action: 'any', record: 'wallet', signer: { $circle: 'cashiers' } },
  { action: 'read', record: 'any' },
  { action: 'query-event', record: 'effect' },
];

/** Customers: wallets whose `custom.tier` is one of three. */
export const CUSTOMER = {
  type: 'object',
  required: ['custom'],
  properties: {
    custom: {
      type: 'object',
      required: ['tier'],
      properties: { tier: { enum: ['silver', 'gold', 'platinum'] } },
    },
  },
};
