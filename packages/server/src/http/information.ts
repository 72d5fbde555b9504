import { hash as hashOf, type JsonObject } from '@countersign/protocol';
import { moment } from '../base/clock.js';
import type { Answer } from '../records/command.js';
import type { HttpService } from './http-service.js';

/** Release of the interface that is served. */
export const INTERFACE = '2.36.0';

/** `GET {base_url}` (interface/ledgers#server-information): hashed, unsigned, for every caller. */
export function information(service: HttpService): Answer {
  const data: JsonObject = {
    handle: service.name,
    server: service.publicUrl,
    semver: INTERFACE,
    status: 'UP',
    build: service.build,
  };
  const hash = hashOf(data, service.suite);
  return { status: 200, body: JSON.stringify({ hash, data, meta: { moment: moment(service.runtime) } }) };
}
