import { hash as hashOf, type JsonObject, type RecordEnvelope, type Suite } from '@countersign/protocol';
import { kindFacts } from './kinds.js';

/** Whether the hash of a version is that of its data (interface/hashes). */
export function isHashOfData(kind: string, { hash, data, meta }: RecordEnvelope, suite: Suite): boolean {
  return formsToHash(kind, data, meta.domain).some((form) => hashOf(form, suite) === hash);
}

/** The data as it is served; of a subdomain also without its parent, of early builds without a member that is null. */
function formsToHash(kind: string, data: JsonObject, domain: string | undefined): JsonObject[] {
  if (kind === 'domain') {
    const { domain: parent, ...others } = data;
    if (parent !== domain) return [];
    return domain === undefined ? [data] : [data, others];
  }
  const nullable = kindFacts(kind)?.nullable;
  if (nullable === undefined || data[nullable] !== null) return [data];
  const { [nullable]: _, ...others } = data;
  return [data, others];
}
