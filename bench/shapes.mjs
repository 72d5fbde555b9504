/**
 * What is measured. `ceiling` names the bare server a shape is compared with: `write` does the same parsing, hashing,
 * verifying, signing and serialising and nothing else; `read` answers the same bytes from memory.
 */
export const shapes = {
  create: { title: 'signed create', ceiling: 'write', status: 201 },
  'create-half': { title: 'signed create at half that rate', status: 201, like: 'create' },
  update: { title: 'signed update', ceiling: 'write', status: 200 },
  proof: { title: 'status proof', ceiling: 'write', status: 200 },
  read: { title: 'read by handle', ceiling: 'read', status: 200 },
  list: { title: 'list page of 20', ceiling: 'read', status: 200 },
  'filter-few': { title: 'filtered list, 20 match', ceiling: 'read', status: 200 },
  'filter-many': { title: 'filtered list, 1 in 4 matches', ceiling: 'read', status: 200 },
};
