import { type ComponentsOfAnswers, component } from '../operation.js';

/**
 * The OpenAPI components of the answer to a lookup: `found-<kind>s`, a signed list without pages, and its items.
 *
 * @param kind of the items
 * @param own whether the ledger has items itself; else all are from a bridge
 */
export function describeFound(kind: string, own: boolean): ComponentsOfAnswers {
  const bridged = `bridged-${kind}`;
  const items = own ? { anyOf: [component(kind), component(bridged)] } : component(bridged);
  return {
    [`found-${kind}s`]: {
      type: 'object',
      required: ['hash', 'meta', 'data'],
      properties: { hash: component('hash'), meta: component('answer-meta'), data: { type: 'array', items } },
    },
    [bridged]: {
      type: 'object',
      required: ['data', 'meta'],
      properties: {
        data: { type: 'object', additionalProperties: true, description: `The data of a ${kind}, as a bridge has it.` },
        meta: { type: 'object', additionalProperties: true, description: 'Empty.' },
      },
    },
  };
}
