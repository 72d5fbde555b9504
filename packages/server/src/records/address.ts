import { parseAddress } from '@countersign/protocol';

/** The handles that an address may mean, in the order in which records are looked for (interface/wallets#routes). */
export function resolveHandles(address: string): string[] {
  const { schema, parent } = parseAddress(address) ?? {};
  const both = schema !== undefined && parent !== undefined ? [`${schema}@${parent}`] : [];
  return [address, ...both, parent, schema].filter((handle) => handle !== undefined);
}

/**
 * The first existing one of the records that an address may mean (interface/wallets#routes). All are looked for at once:
 * lookups of one moment are one query.
 */
export async function findAddressed<Found>(
  address: string,
  find: (handle: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await Promise.all(resolveHandles(address).map(find));
  return found.find((one) => one !== undefined);
}
