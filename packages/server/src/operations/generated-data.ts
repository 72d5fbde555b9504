import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Service } from '../ledgers/service.js';

/** A record's data as the ledger completed it. */
export interface CompletedData {
  readonly data: JsonObject;
  readonly hash: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/**
 * A new record's data, completed by what the ledger generates; undefined for data that is complete as sent
 * (interface/signers#client-credentials).
 *
 * @param secrets values from the client; generated ones replace those of the same name
 */
export function generateData(
  service: Service,
  kind: Kind,
  data: JsonObject,
  secrets: Readonly<Record<string, string>>,
): CompletedData | undefined {
  const generated = kind.data.generated?.(data, service.runtime.random);
  if (!generated) return undefined;
  const hash = hashOf(generated.data, service.suite);
  return { data: generated.data, hash, secrets: { ...secrets, ...generated.secrets } };
}
