import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { moment } from '../base/clock.js';
import type { Answer } from '../operations/request.js';
import type { Service } from '../ledgers/service.js';

/** Release of the interface that is served. */
export const INTERFACE = '2.36.0';

/** `GET {base_url}` (contract 01 §14): hashed, unsigned, for every caller. */
export function information(service: Service): Answer {
  const data: JsonObject = {
    handle: service.name,
    server: service.publicUrl,
    semver: INTERFACE,
    status: 'UP',
    build: service.build,
  };
  const hash = hashOf(data, service.suite);
  return { status: 200, body: JSON.stringify({ hash, data, meta: { moment: moment(service.nature) } }) };
}
