import { parseAddress } from '@countersign/protocol';

/** The handles that an address may mean, in the order in which records are looked for (interface/wallets#routes). */
export function resolveHandles(address: string): string[] {
  const { schema, parent } = parseAddress(address) ?? {};
  const both = schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : [];
  return [address, ...both, parent, schema].filter((handle) => handle !== undefined);
}
