import { kinds } from '../../kinds/registry.js';
import { describeSignedList } from './answers.js';
import { arrayOf, object, oneOfTexts, ref, type Schema, textSchema, wholeNumber } from './schemas.js';

const DELIVERY_STATUSES = ['pending', 'running', 'delivered', 'failed', 'cancelled', 'erased'];

const textOrNull: Schema = { type: ['string', 'null'] };

/** Deliveries of events, and calls of bridges for intents (interface/effects#deliveries). */
export function deliveryComponents(): Record<string, Schema> {
  return { delivery: describeDelivery(), 'delivery-list': listOfDeliveries() };
}

function describeDelivery(): Schema {
  return object({
    luid: ref('luid'),
    hash: { ...ref('hash'), description: 'Of `data` without the members that are null.' },
    meta: object({
      proofs: {
        ...arrayOf(ref('proof')),
        description: 'Of the ledger: one for each attempt, and one when it gave up.',
      },
      moment: ref('moment'),
      status: oneOfTexts(DELIVERY_STATUSES),
      replay: { ...wholeNumber(0), description: 'Attempts made.' },
      output: {
        anyOf: [
          ref('event'),
          ref('bridge-entry-call'),
          ref('bridge-command-call'),
          ref('called-intent'),
          { type: 'null' },
        ],
        description: 'The body that is sent, once it was: an event, or what a bridge is told of an intent.',
      },
    }),
    data: object({
      handle: { ...textSchema, pattern: '^[A-Za-z0-9_-]{17}$' },
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
