/**
 * What is measured. `ceiling` names the bare server a shape is compared with: `write` does the same parsing, hashing,
 * verifying, signing and serialising and nothing else; `read` answers the same bytes from memory; `token` signs the same
 * token. `make` names what makes the requests where that is not the shape's own name, `ledger` the ledger they are for
 * where that is not the open one. Those that are `repeated` may be sent again and again. What a shape costs is also told
 * `against` another.
 */
export const shapes = {
  create: { title: 'signed create', ceiling: 'write', status: 201 },
  'create-policies': {
    title: 'signed create, token, policies',
    ceiling: 'write',
    status: 201,
    make: 'create',
    ledger: 'bench-policies',
    against: 'create',
  },
  'create-effect': {
    title: 'signed create, one effect',
    ceiling: 'write',
    status: 201,
    make: 'create',
    ledger: 'bench-effects',
    against: 'create',
  },
  'create-half': { title: 'signed create at half that rate', status: 201, make: 'create', like: 'create' },
  update: { title: 'signed update', ceiling: 'write', status: 200 },
  proof: { title: 'status proof', ceiling: 'write', status: 200 },
  read: { title: 'read by handle', ceiling: 'read', status: 200, repeated: true },
  list: { title: 'list page of 20', ceiling: 'read', status: 200, repeated: true },
  'filter-few': { title: 'filtered list, 20 match', ceiling: 'read', status: 200, repeated: true },
  'filter-half': {
    title: 'filtered list, 20 match, at half that rate',
    status: 200,
    make: 'filter-few',
    like: 'filter-few',
    repeated: true,
  },
  'filter-many': { title: 'filtered list, 1 in 4 matches', ceiling: 'read', status: 200, repeated: true },
  ledger: { title: 'new ledger', ceiling: 'write', status: 201, ledger: 'none' },
  mint: { title: 'token mint', ceiling: 'token', status: 200, ledger: 'bench-tokens', repeated: true },
};

/** Shapes of settling, measured in a way of their own (money.mjs). */
export const transfers = {
  transfer: { status: 201, ledger: 'bench-money' },
  'transfer-hot': { status: 201, ledger: 'bench-money' },
};

/** Shapes of what is measured of the log (log.mjs). */
export const inLog = {
  'create-many': { status: 201, ledger: 'bench-many' },
};

/** Further shapes of what is measured in many ledgers (cluster/). */
export const inMany = {
  'read-many': { status: 200, ledger: 'bench-many', repeated: true },
  'list-many': { status: 200, ledger: 'bench-many', repeated: true },
  'transfer-many': { status: 201, ledger: 'bench-many' },
};

/** Shapes of what one tenant takes of another one's time (fairness.mjs). */
export const tenants = {
  'create-quiet': { status: 201, ledger: 'bench-quiet', make: 'create' },
  'read-quiet': { status: 200, ledger: 'bench-quiet', make: 'read', repeated: true },
  'create-refused': { status: 403, ledger: 'bench-closed', make: 'create' },
};
