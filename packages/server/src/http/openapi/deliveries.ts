import { kinds, names } from '../../kinds/registry.js';
import { describeSignedList } from './answers.js';
import { jsonBody } from './record-routes.js';
import { count, listOf, object, oneOfTexts, openObject, ref, type Schema, text } from './schemas.js';

const STATUSES = ['pending', 'running', 'delivered', 'failed', 'cancelled'];

const textOrNull: Schema = { type: ['string', 'null'] };

/** Events, and their deliveries (interface/effects#events, interface/effects#deliveries). */
export function deliveryComponents(): Record<string, Schema> {
  return { event: describeEvent(), delivery: describeDelivery(), 'delivery-list': listOfDeliveries() };
}

function describeEvent(): Schema {
  return object({
    data: {
      ...openObject,
      required: ['handle', 'signal'],
      properties: {
        handle: { ...text, pattern: '^evt_[A-Za-z0-9_-]{17}$', description: 'The same for all receivers.' },
        signal: oneOfTexts(names.signals),
      },
      description: 'Its other members are by signal.',
    },
    hash: ref('hash'),
    meta: object({ proofs: { ...listOf(ref('proof')), description: 'One, of the ledger, for this delivery.' } }),
  });
}

function describeDelivery(): Schema {
  return object({
    luid: ref('luid'),
    hash: { ...ref('hash'), description: 'Of `data` without the members that are null.' },
    meta: object({
      proofs: { ...listOf(ref('proof')), description: 'Of the ledger: one for each attempt, and one when it gave up.' },
      moment: ref('moment'),
      status: oneOfTexts(STATUSES),
      replay: { ...count(0), description: 'Attempts made.' },
      output: { anyOf: [ref('event'), { type: 'null' }], description: 'The body that is sent, once it was.' },
    }),
    data: object({
      handle: { ...text, pattern: '^[A-Za-z0-9_-]{17}$' },
      bridge: { ...textOrNull, description: 'Null for a webhook.' },
      effect: textOrNull,
      record: { type: ['string', 'null'], enum: [...kinds.map(({ name }) => name), null] },
      linked: { ...textOrNull, description: 'Handle of that record; null for one that was dropped.' },
    }),
  });
}

function listOfDeliveries(): Schema {
  return describeSignedList(ref('delivery'), ref('page'));
}

/** The request that receivers of events get (interface/effects#events). */
export function describeWebhooks(): Record<string, object> {
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        summary: 'Take an event that an effect asked for',
        requestBody: jsonBody('event'),
        responses: {
          '2XX': { description: 'It was taken.' },
          501: { description: 'It is not sent again.' },
          default: { description: 'It is sent again later.' },
        },
      },
    },
  };
}
