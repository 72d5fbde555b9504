import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Route } from '../../src/http/routes.js';
import { dropOf, proofOver, signed, updateOf } from '../support/client.js';
import { createBody, type Scene } from '../support/scene.js';

/** The handle of no delivery. */
export const NO_DELIVERY = '0123456789abcdefg';

/** What goes over the wire to a route. */
export interface Wire {
  readonly method: Route['method'];
  readonly path: string;
  readonly body?: JsonObject;
}

/**
 * A valid request to a route, about the scene's record: the parameters of its path filled in, and a body its operation
 * takes, signed by the scene's client. A route with a parameter or operation that is not known here fails the tests.
 *
 * @param id what the path calls the record: its handle, or its luid
 */
export function requestTo(route: Route, scene: Scene, record: RecordEnvelope, id: string): Wire {
  const { kind, method, operation } = route;
  const parameters: Record<string, string> = {
    id,
    ...(kind.links.under ? { parent: String(scene.data[kind.links.under.member]) } : {}),
    change: '1',
    event: NO_DELIVERY,
    asset: 'a',
    request: `$req.${'a'.repeat(17)}`,
    ...(scene.client.ledger === undefined ? {} : { ledger: scene.client.ledger }),
  };
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${route.path}`);
    return value;
  });
  const body = method === 'GET' ? undefined : bodyOf(operation.name, scene, record, id);
  const query = operation.name === 'consistency' ? '?from=1' : '';
  return { method, path: path + query, ...(body ? { body } : {}) };
}

function bodyOf(operation: string, scene: Scene, record: RecordEnvelope, id: string): JsonObject {
  const { key } = scene.client;
  switch (operation) {
    case 'retry':
    case 'activate':
      return signed({}, key, {});
    case 'create':
      return createBody({ ...scene, data: another(scene) });
    case 'update':
      return updateOf(record, scene.data, key);
    case 'drop':
      return dropOf(record, key);
    case 'erase':
      return signed({ luid: record.luid, change: 1, reason: 'asked for' }, key, { status: 'erased' });
    case 'proof':
      return { ...proofOver(record.hash, key) };
    case 'check':
      return signed({ action: 'read' }, key, {});
    case 'lookup':
      return signed({ wallet: id }, key, {});
    default:
      throw new Error(`No body for ${operation}`);
  }
}

/** Data of another record of the kind. */
function another({ data, kind }: Scene): JsonObject {
  return kind.links.to ? { ...data, custom: {} } : { ...data, handle: `${data.handle}-2` };
}
